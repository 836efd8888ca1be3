"""ABX discrimination: from a spec to rows of scores. One shard is one checkpoint, every layer, every pair of languages.

Imports neither torch nor transformers until a shard is computed: pages build specs and look shards up.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from backend.corpora.parallel import library as corpora
from backend.experiments import checkpoint_scores, embeddings
from backend.experiments.spec import Cancelled, Context, OnCorpus, several
from backend.models.entry import Checkpoint, Pooling, Prefix, said_prefix
from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from backend.metrics.abx.exact import Discrimination

    Matrix = NDArray[np.float64]

FAMILY = "abx"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""

Protocol = Literal["exact", "sampled", "control"]


class AbxSpec(OnCorpus):
    """ABX scores of some checkpoints of one model on one corpus (de Seyssel et al. 2025)."""

    experiment: Literal["abx"] = "abx"
    languages: Annotated[tuple[str, ...], several("ABX")]
    """BCP-47 tags, at least two. Sentences that some of them lack are left out for all."""
    sentences: int | None = Field(default=None, ge=2)
    """Use the first so many sentences; None for all of them."""
    pooling: Pooling = "mean"
    protocol: Protocol = "exact"
    n_triplets: int = Field(default=100_000, ge=1)
    """Triplets a pair, half of them in each direction; `sampled` alone."""
    seed: int = 0
    """`sampled` and `control` alone; exact scores have no randomness."""
    prefix: Prefix = ""

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        parts: list[str] = [self.protocol, self.pooling]
        if self.protocol == "sampled":
            parts.append(f"{self.n_triplets} triplets")
        if self.sentences is not None:
            parts.append(f"first {self.sentences} sentences")
        return "/".join([*parts, *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        of, seed = (FAMILY, VERSION, checkpoint.fingerprint, self.corpus), None if self.protocol == "exact" else self.seed
        return checkpoint_scores.provenance(*of, languages=list(self.languages), variant=self.variant, seed=seed)


def covering(spec: AbxSpec, checkpoint: Checkpoint, have: list[scores.ShardFile]) -> scores.ShardFile | None:
    """Return a file with every pair asked for on the very same sentences, or None."""
    provenance = spec.provenance(checkpoint)
    for shard in have:
        exact = shard.provenance.get("languages") == provenance["languages"]
        # In a corpus with gaps, other languages leave other sentences: only a complete one may serve a subset.
        subset = shard.provenance.get("complete") and set(spec.languages) <= set(shard.provenance.get("languages", ()))
        if checkpoint_scores.same(shard, provenance, "languages") and (exact or subset):
            return shard
    return None


def compute(spec: AbxSpec, shard: str, context: Context) -> None:
    """Compute one shard and publish its scores.

    Does nothing where its file is there already, or one of more languages that has its pairs: they would be listed twice.
    """
    checkpoint = spec.shards()[shard]
    if covering(spec, checkpoint, scores.shards(context.workspaces, FAMILY)):
        return
    started = time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    ids, texts = corpus.align(spec.languages, spec.sentences)
    encoded = embeddings.of_corpus(checkpoint, spec.corpus, ids, texts, [spec.pooling], context, spec.prefix)
    encoding = time.perf_counter() - started
    rows: list[dict[str, Any]] = []
    for layer in range(encoded.layers):
        context.step(f"scoring layer {layer}", 0.5 + 0.5 * layer / encoded.layers)
        result = _score(spec, encoded.layer(layer, spec.pooling, spec.languages, context.settings), context)
        rows += _rows(spec.languages, layer, len(ids), result)
    provenance = spec.provenance(checkpoint) | {
        "complete": len(corpus.table) == len(corpus.languages) * len(set(corpus.table["sentence_id"].to_pylist())),
        "sentences": len(ids),
        "pooling": spec.pooling,
        "truncated": encoded.truncated,
        "device": encoded.device,
        "precision": encoded.precision,
        "seconds_encoding": round(encoding, 3),
        "seconds": round(time.perf_counter() - started, 3),
        "tokens": encoded.tokens,
    }
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def _score(spec: AbxSpec, vectors: torch.Tensor, context: Context) -> Discrimination:
    from backend.metrics.abx import exact as abx
    from backend.metrics.abx import sampled as abx_sampled

    try:
        match spec.protocol:
            case "exact":
                return abx.discrimination(vectors, should_stop=context.should_stop)
            case "sampled":
                return abx_sampled.sampled(vectors, spec.n_triplets, spec.seed, should_stop=context.should_stop)
            case "control":
                return abx_sampled.controls(vectors, spec.seed, should_stop=context.should_stop)
    except abx.Stopped as error:
        raise Cancelled from error


def _rows(languages: Sequence[str], layer: int, n: int, result: Discrimination) -> list[dict[str, Any]]:
    """Return one row per metric and pair (source < target): value and 95% interval, nan where undefined."""
    rows = []
    for metric, (value, low, high) in _with_intervals(result, n).items():
        for i, source in enumerate(languages):
            for j in range(i + 1, len(languages)):
                named = {"metric": metric, "layer": layer, "source": source, "target": languages[j], "n": n}
                rows.append(named | {"value": float(value[i, j]), "low": float(low[i, j]), "high": float(high[i, j])})
    return rows


def _with_intervals(result: Discrimination, n: int) -> dict[str, tuple[Matrix, Matrix, Matrix]]:
    """Each metric's value, low and high: `[languages, languages]`; Wilson's interval for retrieval, the jackknife's else."""
    from backend.metrics.intervals import normal_interval, wilson_interval

    found: dict[str, tuple[Matrix, Matrix, Matrix]] = {}
    for metric, value, error in (
        ("abx_language", result.language.numpy(), result.language_se.numpy()),
        ("abx_meaning", result.meaning.numpy(), result.meaning_se.numpy()),
    ):
        found[metric] = (value, *normal_interval(value, error))
    if result.retrieval is not None:
        found["retrieval_top1"] = (result.retrieval.numpy(), *wilson_interval(result.retrieval.numpy(), n))
    return found
