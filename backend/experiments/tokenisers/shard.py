"""Tokenisers: from a spec to rows of scores. One shard is one checkpoint's tokeniser, every language and pair of languages.

Imports neither torch nor transformers until a shard is computed: pages build specs and look shards up.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.spec import Context, OnCorpus, several
from isogloss.backend.experiments.tokenisers import cut_sentences
from isogloss.backend.option import Option, variant_of
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isogloss.backend.experiments.tokenisers.pieces import Pieces
    from isogloss.backend.metrics.intervals import IntervalEstimates
    from isogloss.backend.models.entry import Checkpoint

FAMILY = "tokenisers"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""

RATIOS = {
    "tokeniser_fertility": ("in_words", "words"),
    "tokeniser_pieces_per_sentence": ("pieces", ""),
    "tokeniser_pieces_per_character": ("pieces", "characters"),
    "tokeniser_bytes_per_character": ("bytes", "characters"),
}
"""Metric → what is counted (fields of `Pieces`), and over what; over sentences where that is empty."""
SHARES = {
    "tokeniser_one_piece_words": ("single", "words"),
    "tokeniser_unknown_pieces": ("unknown", "pieces"),
    "tokeniser_truncated_sentences": ("truncated", ""),
}
"""Those of which the one is a part of the other."""


class TokenisersSpec(OnCorpus):
    """How the tokenisers of some checkpoints of one model cut the languages of a corpus. No weights are needed."""

    weights: ClassVar[bool] = False
    """Whether a checkpoint's weights are needed (`backend.models.library.absent`)."""
    experiment: Literal["tokenisers"] = "tokenisers"
    languages: Annotated[tuple[str, ...], several("A tokeniser's page")]
    """BCP-47 tags, at least two. Sentences that some of them lack are left out for all."""
    sentences: Annotated[
        int | None, Option("Use the first so many sentences", "Sentences", variant="first {} sentences", key="sentences")
    ] = Field(default=None, ge=2)

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        return variant_of(self, "sentences")[0] if self.sentences else "all sentences"

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        identity = (FAMILY, VERSION, checkpoint.fingerprint, self.corpus)
        return checkpoint_scores.provenance(*identity, languages=list(self.languages), variant=self.variant)


def covering(spec: TokenisersSpec, checkpoint: Checkpoint, have: Iterable[scores.ShardFile]) -> scores.ShardFile | None:
    """Return a file with every language asked for on the very same sentences, or None."""
    provenance = spec.provenance(checkpoint)
    return next((file for file in have if checkpoint_scores.same(file, provenance, "languages") and _has(file, spec)), None)


def _has(file: scores.ShardFile, spec: TokenisersSpec) -> bool:
    """Return whether a file has these languages; of a corpus with gaps, other languages leave other sentences."""
    there = file.provenance.get("languages", ())
    return there == list(spec.languages) or bool(file.provenance.get("complete") and set(there).issuperset(spec.languages))


def compute(spec: TokenisersSpec, shard: str, context: Context) -> None:
    """Compute one shard: publish its cut sentences, then its scores. Does nothing where a file has them."""
    from isogloss.backend.experiments.tokenisers.pieces import of_languages
    from isogloss.backend.models.loading.tokenizer_alone import tokeniser_of

    checkpoint = spec.shards()[shard]
    if covering(spec, checkpoint, scores.shards(context.workspaces, FAMILY)) is not None:
        return
    started = time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    ids, texts = corpus.align(spec.languages, spec.sentences)
    context.step("reading the tokeniser", 0.0)
    tokeniser = tokeniser_of(checkpoint, context.settings)
    found: dict[str, Pieces] = {}
    for tag, cut in of_languages(tokeniser.tokenizer, texts, tokeniser.max_tokens):
        found[tag] = cut_sentences.few(cut)
        context.step(f"cutting, {tag} done", 0.05 + 0.85 * len(found) / len(texts))
    context.step("comparing languages", 0.9)
    rows = [*_of_languages(found), *_of_pairs(found)]
    provenance = spec.provenance(checkpoint) | {
        "complete": corpus.is_complete,
        "sentences": len(ids),
        "max_tokens": tokeniser.max_tokens,
        "asked": checkpoint_scores.non_default_options(spec),
        "seconds": round(time.perf_counter() - started, 3),
    }
    cut_sentences.write(context.workspace, shard, ids, found, provenance | {"model": spec.model, "label": checkpoint.label})
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def _of_languages(found: Mapping[str, Pieces]) -> list[dict[str, Any]]:
    """Return a row per metric and language (source = target); none where nothing is counted, such as words of Tibetan."""
    import numpy as np

    from isogloss.backend.metrics.tokenisation import ratio, share

    rows = []
    for made, asked in ((ratio, RATIOS), (share, SHARES)):
        for metric, (above, below) in asked.items():
            for tag, pieces in found.items():
                over = getattr(pieces, above)
                under = getattr(pieces, below) if below else np.ones_like(over)
                if under.sum():
                    rows.append(_row(metric, tag, tag, made(over, under), (), len(over)))
    return rows


def _of_pairs(found: Mapping[str, Pieces]) -> list[dict[str, Any]]:
    """Return the premium of each language to each other, and what two share (source < target)."""
    import numpy as np

    from isogloss.backend.metrics.intervals import IntervalEstimates
    from isogloss.backend.metrics.tokenisation import premiums, shared

    tags = list(found)
    counts = np.stack([found[tag].pieces for tag in tags])
    ordered = [(i, j) for i in range(len(tags)) for j in range(len(tags)) if i != j]
    n, cost, common = counts.shape[1], premiums(counts), shared([found[tag].used for tag in tags])
    rows = [_row("tokeniser_premium", tags[i], tags[j], cost, (i, j), n) for i, j in ordered]
    nothing = np.full(cost.value.shape, np.nan)
    for metric, value in (("tokeniser_shared_vocabulary", common.types), ("tokeniser_shared_use", common.use)):
        estimates = IntervalEstimates(value, nothing, nothing)
        rows += [_row(metric, tags[i], tags[j], estimates, (i, j), n) for i, j in ordered if i < j]
    return rows


def _row(metric: str, source: str, target: str, estimates: IntervalEstimates, at: Sequence[int], n: int) -> dict[str, Any]:
    ends = {name: float(getattr(estimates, name)[tuple(at)]) for name in ("value", "low", "high")}
    return {"metric": metric, "source": source, "target": target, "n": n} | ends
