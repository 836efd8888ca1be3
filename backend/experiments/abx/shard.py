"""ABX discrimination: from a spec to rows of scores. One shard is one checkpoint, every layer, every pair of languages.

Imports neither torch nor transformers until a shard is computed: pages build specs and look shards up.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores, language_pairs
from isogloss.backend.experiments.abx import controls, sentences
from isogloss.backend.experiments.abx import rows as made
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.language_out import LANGUAGE_OUT, RANK
from isogloss.backend.experiments.spec import Cancelled, Context, OnCorpus, several
from isogloss.backend.experiments.vectors import embeddings, soundness
from isogloss.backend.files import added
from isogloss.backend.metrics.geometry.options import Removal
from isogloss.backend.models.entry import SENTENCE_VECTOR, Checkpoint, Pooling, Prefix, said_prefix
from isogloss.backend.option import Option, variant_of
from isogloss.backend.store import older, scored_layers, scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings
    from isogloss.backend.metrics.abx.exact import Discrimination, Sums
    from isogloss.backend.metrics.abx.held import Held
    from isogloss.backend.metrics.blocks import ShouldStop
    from isogloss.backend.store.scored_layers import Rows

FAMILY = "abx"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""

Protocol = Literal["exact", "sampled", "control"]
PROTOCOLS: dict[Protocol, str] = {
    "exact": "All triplets",
    "sampled": "Sampled triplets",
    "control": "Control (must be 0.5)",
}


class AbxSpec(OnCorpus):
    """ABX scores of some checkpoints of one model on one corpus (de Seyssel et al. 2025).

    The defaults are not the paper's protocol but what it estimates: every triplet, where the paper draws some 100,000 a pair
    (`protocol="sampled"`). All else is as published: mean pooling, all sentences, all pairs.
    """

    experiment: Literal["abx"] = "abx"
    languages: Annotated[tuple[str, ...], several("ABX")]
    """BCP-47 tags, at least two. Sentences that some of them lack are left out for all."""
    sentences: Annotated[
        int | None, Option("Use the first so many sentences", "Sentences", variant="first {} sentences", key="sentences")
    ] = Field(default=None, ge=2)
    pooling: Annotated[Pooling, SENTENCE_VECTOR] = "mean"
    protocol: Annotated[Protocol, Option("Which triplets are counted", "Triplets", PROTOCOLS, always=True, variant="{}")] = (
        "exact"
    )
    n_triplets: Annotated[
        int,
        Option(
            "Triplets a pair, half of them in each direction",
            "Triplets a pair",
            told="{:,} triplets a pair",
            always=True,
            variant="{} triplets",
            when={"protocol": ("sampled",)},
        ),
    ] = Field(default=100_000, ge=1)
    seed: Annotated[
        int,
        Option(
            "Of what is drawn: exact scores have no randomness",
            "Seed",
            told="seed {}",
            always=True,
            when={"protocol": ("sampled", "control")},
            key="abx_seed",
        ),
    ] = 0
    pairs: tuple[Pair, ...] | None = added(None, min_length=1)
    """Compute these pairs of `languages` alone, in alphabetical order; None for all. Left out of what is stored where it is
    the default, as the fields below: runs from before these fields keep their keys."""
    baseline: Annotated[
        bool,
        Option(
            "Also the paper's control, the variable of interest held constant in A, B and X, which must be 0.5 (section 4.1)",
            "Show the paper's control (0.5)",
            told="the paper's control",
            when={"protocol": ("exact", "sampled")},
            key="controls",
        ),
    ] = added(False)
    subsamples: Annotated[
        int,
        Option(
            "Draws of triplets, by the seed and the numbers after it, whose mean and standard deviation to give (paper: 5)",
            "Subsamples",
            told="{} subsamples",
            variant="{} subsamples",
            when={"protocol": ("sampled",)},
        ),
    ] = added(1, ge=1, le=100)
    prefix: Prefix = ""
    removed: Annotated[Removal, LANGUAGE_OUT] = added("nothing")
    rank: Annotated[int, RANK] = added(1, ge=1, le=100)
    per_sentence: Annotated[
        bool,
        Option(
            "Also keep what each sentence contributes: Compare's paired intervals",
            told="what each sentence contributes kept",
            when={"protocol": ("exact",)},
        ),
    ] = added(False)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.baseline and self.protocol == "control":
            raise ValueError("The baseline comes with protocol exact or sampled, not control. Leave out one of them.")
        if self.subsamples > 1 and self.protocol != "sampled":
            raise ValueError(f"Subsamples are drawn with protocol sampled, not {self.protocol}. Leave out one of them.")
        if self.per_sentence and (self.protocol != "exact" or self.baseline):
            raise ValueError("What each sentence contributes is kept with protocol exact alone, and without the baseline.")
        return self

    @field_validator("pairs")
    @classmethod
    def _sorted_pairs(cls, pairs: tuple[Pair, ...] | None, info: ValidationInfo) -> tuple[Pair, ...] | None:
        return language_pairs.in_order(pairs, info.data.get("languages", ()))

    @property
    def scored(self) -> tuple[Pair, ...]:
        """The pairs that are scored, in the order of `languages`."""
        return language_pairs.of(self.languages, self.pairs)

    @property
    def encoded(self) -> tuple[str, ...]:
        """The languages that are in some pair."""
        return tuple(sorted({tag for pair in self.scored for tag in pair}))

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        named = ("protocol", "pooling", "n_triplets", "subsamples", "sentences", "removed", "rank")
        return "/".join([*variant_of(self, *named), *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        identity, seed = (FAMILY, VERSION, checkpoint.fingerprint, self.corpus), None if self.protocol == "exact" else self.seed
        more: dict[str, Any] = {"baseline": True} if self.baseline else {}
        if self.pairs is not None:
            more["pairs"] = [list(pair) for pair in self.pairs]
        if self.per_sentence:
            more["per_sentence"] = True
        return checkpoint_scores.provenance(*identity, languages=list(self.languages), variant=self.variant, seed=seed, **more)


def covering(spec: AbxSpec, checkpoint: Checkpoint, have: list[scores.ShardFile]) -> scores.ShardFile | None:
    """Return a file with every pair asked for on the very same sentences, or None."""
    provenance = spec.provenance(checkpoint)
    provenance.pop("pairs", None)
    provenance.pop("per_sentence", None)  # scores are in files without it
    return next(
        (shard for shard in have if checkpoint_scores.same(shard, provenance, "languages") and has_pairs(shard, spec)), None
    )


def has_pairs(shard: scores.ShardFile, spec: AbxSpec) -> bool:
    """Return whether a file of these weights, corpus and variant has the spec's pairs, on the very same sentences."""
    if spec.baseline or spec.removed == "lsar":
        # A baseline's meaning compares with every other language of the file, and LSAR's directions are of all of them.
        there = language_pairs.there(shard.provenance, spec.languages)
        return {tag for pair in there for tag in pair} == set(spec.encoded) and there.issuperset(spec.scored)
    return language_pairs.has_all(shard.provenance, spec.languages, spec.pairs)


def compute(spec: AbxSpec, shard: str, context: Context) -> None:
    """Compute one shard and publish its scores.

    Does nothing where its file is there already, or one of more languages that has its pairs: they would be listed twice. What
    each sentence contributes is a file beside that of the scores.
    """
    checkpoint = spec.shards()[shard]
    scored = covering(spec, checkpoint, scores.shards(context.workspaces, FAMILY)) is not None
    if scored and (not spec.per_sentence or sentences.there(shard, context.workspaces)):
        return
    started = time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    ids, texts = corpus.align(spec.languages, spec.sentences)
    texts = {tag: texts[tag] for tag in spec.encoded}
    encoded = embeddings.of_corpus(checkpoint, spec.corpus, ids, texts, [spec.pooling], context, spec.prefix)
    encoding = time.perf_counter() - started
    try:
        rows, contributed, before = _score_layers(spec, shard, encoded, len(ids), context)
    except Cancelled:
        scored_layers.forget(context.workspace, shard)
        raise
    started -= before
    how = made.how(encoded, corpus, len(ids), len(spec.encoded), (started, encoding))
    if spec.per_sentence:
        said = {**spec.provenance(checkpoint), **how, "label": checkpoint.label}
        sentences.write(context.workspace, shard, contributed, said | {"pooling": spec.pooling, **older.TODAY})
    if not scored:
        publish(spec, checkpoint, rows, how, soundness.rows(encoded, context), context)
        scored_layers.forget(context.workspace, shard)
    controls.beside(spec, checkpoint, corpus, texts, encoded, context)


def _score_layers(spec: AbxSpec, shard: str, encoded: CorpusEmbeddings, n: int, context: Context) -> tuple[Rows, Rows, float]:
    """Return rows of scores, those of what sentences contribute, and the seconds that layers took before this began.

    Scores of layers that are done outlive a kill; what sentences contribute does not, and is begun anew with them.
    """
    contributed: Rows = []
    rows, done, before = ([], 0, 0.0) if spec.per_sentence else scored_layers.load(context.workspace, shard, encoded.precision)
    begun = kept = time.perf_counter()
    for layer in range(done, encoded.layers):
        context.step(f"scoring layer {layer}", 0.5 + 0.5 * layer / encoded.layers)
        result, more, sums = _score(spec, made.layer(encoded, layer, spec, context), layer, context)
        rows += made.rows(spec, layer, n, result, more)
        contributed += sentences.rows(layer, spec.scored, sums) if sums else []
        now = time.perf_counter()
        if not spec.per_sentence and now - kept >= scored_layers.EVERY:
            scored_layers.keep(context.workspace, shard, rows, layer + 1, before + now - begun, encoded.precision)
            kept = now
    return rows, contributed, before


def publish(
    spec: AbxSpec,
    checkpoint: Checkpoint,
    rows: list[dict[str, Any]],
    how: Mapping[str, Any],
    sound: soundness.Rows,
    context: Context,
) -> None:
    """Write the scores of one checkpoint and `how` they were computed; beside them, first, what rules the vectors."""
    plain, own = checkpoint_scores.plain(spec, checkpoint)
    provenance = {**plain.provenance(checkpoint), **how, "pooling": spec.pooling, **older.TODAY}
    provenance |= {"asked": checkpoint_scores.non_default_options(plain)}
    soundness.write(context, own, sound, provenance)
    checkpoint_scores.write(context, own, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def _score(
    spec: AbxSpec, vectors: torch.Tensor, layer: int, context: Context
) -> tuple[Discrimination, dict[str, torch.Tensor], Sums | None]:
    """Return the scores, by metric what the spec asks for besides, and what each sentence contributes where that is kept.

    A layer's baseline has draws of its own.
    """
    from isogloss.backend.metrics.abx import exact as abx
    from isogloss.backend.metrics.abx import sampled as abx_sampled
    from isogloss.backend.metrics.blocks import Stopped

    number = {tag: position for position, tag in enumerate(spec.encoded)}
    pairs, stop = [(number[one], number[other]) for one, other in spec.scored], context.should_stop
    try:
        match spec.protocol:
            case "exact" if spec.baseline:
                found, held = abx.with_control(vectors, pairs=pairs, seed=layer, should_stop=stop)
                return found, _baselines(held), None
            case "exact" if spec.per_sentence:
                found, sums = abx.with_sums(vectors, pairs=pairs, should_stop=stop)
                return found, {}, sums
            case "exact":
                return abx.discrimination(vectors, pairs=pairs, should_stop=stop), {}, None
            case "sampled":
                return *_sampled(spec, vectors, layer, pairs, stop), None
            case "control":
                return abx_sampled.controls(vectors, spec.seed, pairs=pairs, should_stop=stop), {}, None
    except Stopped as error:
        raise Cancelled from error


def _sampled(
    spec: AbxSpec, vectors: torch.Tensor, layer: int, pairs: list[tuple[int, int]], stop: ShouldStop
) -> tuple[Discrimination, dict[str, torch.Tensor]]:
    """Return what `_score` does, of drawn triplets."""
    from isogloss.backend.metrics.abx import sampled as abx_sampled

    draws = spec.n_triplets, spec.seed, spec.subsamples
    more: dict[str, torch.Tensor] = {}
    if spec.subsamples > 1:
        discrimination, spread = abx_sampled.subsampled(vectors, *draws, pairs=pairs, should_stop=stop)
        more = {"abx_language_sd": spread.language, "abx_meaning_sd": spread.meaning}
    else:
        discrimination = abx_sampled.sampled(vectors, *draws[:2], pairs=pairs, should_stop=stop)
    if spec.baseline:
        more |= _baselines(abx_sampled.sampled_control(vectors, *draws, layer=layer, pairs=pairs, should_stop=stop))
    return discrimination, more


def _baselines(held: Held) -> dict[str, torch.Tensor]:
    return {"abx_language_baseline": held.language, "abx_meaning_baseline": held.meaning}
