"""Sentence alignment: is a sentence nearest to its translation, by mean and by first token? One shard is one checkpoint."""

from __future__ import annotations

import time
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores, language_pairs
from isogloss.backend.experiments.alignment import options, sentence_rows
from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.alignment.found import Found, key_of
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.spec import Context, OnCorpus, several
from isogloss.backend.experiments.vectors import embeddings, soundness
from isogloss.backend.files import added
from isogloss.backend.metrics.retrieval.options import Similarity
from isogloss.backend.models.entry import Checkpoint, Pooling, Prefix, said_prefix
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings

POOLINGS: tuple[Pooling, ...] = ("mean", "first")
"""The two that table I and figure 4 compare."""


class SentenceAlignmentSpec(OnCorpus):
    """Sentence retrieval and similarity of some checkpoints of one model (Gaschi et al. 2022, table I and figure 4).

    The defaults compare all sentences once; table I draws 5,000 in each of 10 runs (`n_sentences`, `runs`). k is the paper's,
    and vectors are not centred, as there. The code that made the tables also counted a sentence among its own neighbours
    (`self_neighbour`).
    """

    experiment: Literal["sentence_alignment"] = "sentence_alignment"
    languages: Annotated[tuple[str, ...], several("alignment")]
    """BCP-47 tags, at least two; pairs of them are scored, each on the sentences that both have."""
    seed: Annotated[int, options.SEED] = 0
    similarity: Annotated[Similarity, options.SIMILARITY] = "csls"
    k: Annotated[int, options.K] = Field(default_factory=options.usual_neighbours, ge=1)
    centred: Annotated[bool, options.CENTRED] = False
    self_neighbour: Annotated[bool, options.SELF_NEIGHBOUR] = added(False)
    n_sentences: Annotated[int | None, options.N_SENTENCES] = added(None, ge=2)
    runs: Annotated[int, options.RUNS_OF_SENTENCES] = added(1, ge=1, le=1000)
    pooling: Annotated[Pooling | None, options.OTHER_POOLING] = added(None)
    """None: the two of `POOLINGS`."""
    prefix: Prefix = ""
    listed: tuple[Pair, ...] | None = added(None, min_length=1)
    """Score these pairs of `languages` alone; None for all. A pair's scores are the same either way."""

    per_sentence: Annotated[bool, options.PER_SENTENCE] = added(False)

    @model_validator(mode="after")
    def _of_all(self) -> Self:
        if self.per_sentence and self.n_sentences is not None:
            raise ValueError(
                "Which sentences are found is kept where a run takes all of them: leave out the sentences per run."
            )
        return self

    @field_validator("listed")
    @classmethod
    def _in_order(cls, pairs: tuple[Pair, ...] | None, info: ValidationInfo) -> tuple[Pair, ...] | None:
        return language_pairs.in_order(pairs, info.data.get("languages", ()))

    @field_validator("pooling")
    @classmethod
    def _own(cls, pooling: Pooling | None) -> Pooling | None:
        return None if pooling in POOLINGS else pooling

    @property
    def poolings(self) -> tuple[Pooling, ...]:
        """What makes a sentence's vectors of its tokens'."""
        return POOLINGS if self.pooling is None else (self.pooling,)

    @property
    def pairs(self) -> list[Pair]:
        """List the pairs of languages that are scored, each once, in the order of `languages`."""
        return list(combinations(self.languages, 2) if self.listed is None else self.listed)

    def variant(self, pooling: Pooling) -> str:
        """Return the `variant` of one pooling's scores: what makes two values of one metric not comparable."""
        return "/".join([sentence_rows.variant(self, pooling), *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        of = alignment.FAMILY, alignment.VERSION, checkpoint.fingerprint, self.corpus
        how = {"variant": [self.variant(pooling) for pooling in self.poolings], **sentence_rows.provenance_of_draws(self)}
        how |= {"per_sentence": True} if self.per_sentence else {}
        return checkpoint_scores.provenance(*of, **how, pairs=language_pairs.as_lists(self.languages, self.listed))


def compute(spec: SentenceAlignmentSpec, shard: str, context: Context) -> None:
    """Compute and publish the scores of one shard's pairs, but for those that other files have: they would be listed twice.

    Which sentences are found is kept of all its pairs, in files of their own.
    """
    checkpoint = spec.shards()[shard]
    plain, own = checkpoint_scores.plain(spec, checkpoint)
    _, missing, provenance, name = checkpoint_scores.lacking_pairs(plain, plain.pairs, own, context.workspaces)
    keeps = spec.per_sentence and not is_kept(spec, shard, context.workspaces)
    if not missing and not keeps:
        return
    started = time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    pairs, scored = spec.pairs if keeps else missing, set(missing)
    languages = sorted({tag for pair in pairs for tag in pair})
    encoded, ids = _encode(checkpoint, spec, corpus, languages, context)
    encoding = time.perf_counter() - started
    every = corpus.table["sentence_id"].unique().to_pylist()
    kept = Found(every, pairs, [spec.variant(each) for each in spec.poolings], encoded.layers) if keeps else None
    rows: list[dict[str, Any]] = []
    for i, pair in enumerate(pairs):
        found = _of_pair(spec, pair, encoded, ids, 0.5 + 0.5 * i / len(pairs), context, kept)
        rows += found if pair in scored else []
    how = {
        "truncated": encoded.truncated,
        "texts": encoded.texts,
        "tokens": encoded.tokens,
        "device": encoded.device,
        "seconds_encoding": round(encoding, 3),
        "seconds": round(time.perf_counter() - started, 3),
    }
    if kept is not None:
        kept.write(context.workspace, shard, spec.provenance(checkpoint) | how | {"label": checkpoint.label})
    if missing:
        provenance |= how | {"asked": checkpoint_scores.non_default_options(plain)}
        soundness.write(context, name, soundness.rows(encoded, context), provenance)
        checkpoint_scores.write(context, name, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def is_kept(spec: SentenceAlignmentSpec, shard: str, workspaces: Sequence[Path]) -> bool:
    """Return whether a shard's files of which sentences are found are there."""
    keys = [key_of(shard, spec.variant(pooling)) for pooling in spec.poolings]
    return len({Path(path).name for path, _ in details.published(keys, workspaces)}) == len(keys)


def _of_pair(
    spec: SentenceAlignmentSpec,
    pair: Pair,
    encoded: CorpusEmbeddings,
    ids: dict[str, list[str]],
    share: float,
    context: Context,
    kept: Found | None,
) -> list[dict[str, Any]]:
    """Rows of every layer and pooling, over the sentences that both languages have; none where these are fewer than two."""
    number = {tag: {sentence: row for row, sentence in enumerate(ids[tag])} for tag in pair}
    shared = [sentence for sentence in ids[pair[0]] if sentence in number[pair[1]]]
    if len(shared) < 2:
        return []
    chosen = [[number[tag][sentence] for sentence in shared] for tag in pair]
    rows, runs, lengths = [], sentence_rows.draws(spec, len(shared)), spec.similarity == "l2"
    for layer in range(encoded.layers):
        context.step(f"scoring {pair[0]}-{pair[1]}, layer {layer}", share)
        for pooling in spec.poolings:
            u, v = (
                encoded.layer(layer, pooling, [tag], context.settings, true_length=lengths)[0][side]
                for tag, side in zip(pair, chosen, strict=True)
            )
            variant = spec.variant(pooling)
            keep = None if kept is None else partial(kept.add, variant, layer, sentences=shared)
            found = sentence_rows.rows_of(spec, pair, (u, v), runs, context.should_stop, keep)
            rows += [row | {"layer": layer, "variant": variant} for row in found]
    return rows


def _encode(
    checkpoint: Checkpoint, spec: SentenceAlignmentSpec, corpus: ParallelCorpus, languages: Sequence[str], context: Context
) -> tuple[CorpusEmbeddings, dict[str, list[str]]]:
    """Return all sentences of every language, in one pass where ABX made none, and the ids of each."""
    texts = {}
    for tag in languages:
        ids, of_language = corpus.align([tag])
        texts[tag] = dict(zip(ids, of_language[tag], strict=True))
    encoded = embeddings.of_languages(checkpoint, spec.corpus, texts, spec.poolings, context, spec.prefix)
    return encoded, {tag: list(found) for tag, found in texts.items()}
