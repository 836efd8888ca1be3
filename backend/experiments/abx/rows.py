"""From a layer's ABX scores to rows, and what a file says of how it was computed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from numpy.typing import NDArray

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.experiments.abx.shard import AbxSpec
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings
    from isogloss.backend.metrics.abx.exact import Discrimination

    Matrix = NDArray[np.float64]


def layer(
    encoded: CorpusEmbeddings, number: int, spec: AbxSpec, context: Context, *, true_length: bool = False
) -> torch.Tensor:
    """Return the vectors that are scored at a layer, `[languages, sentences, dims]`: without their language, where asked."""
    from isogloss.backend.metrics.geometry.language_out import without_language

    taken_out = spec.removed != "nothing"
    vectors = encoded.layer(number, spec.pooling, spec.encoded, context.settings, true_length=true_length or taken_out)
    return without_language(vectors, spec.removed, spec.rank) if taken_out else vectors


def how(
    encoded: CorpusEmbeddings, corpus: ParallelCorpus, sentences: int, languages: int, timed: tuple[float, float]
) -> dict[str, Any]:
    """Return what a file says of its computation; `timed` is when it began (`perf_counter`), and the seconds of encoding."""
    started, encoding = timed
    return {
        "complete": corpus.is_complete,
        "sentences": sentences,
        "truncated": encoded.truncated,
        "device": encoded.device,
        "precision": encoded.precision,
        "seconds_encoding": round(encoding, 3),
        "seconds": round(time.perf_counter() - started, 3),
        "tokens": encoded.tokens,
        "texts": languages * sentences,
    }


def rows(spec: AbxSpec, layer: int, n: int, result: Discrimination, more: Mapping[str, torch.Tensor]) -> list[dict[str, Any]]:
    """Return one row per metric and pair (source < target): value and 95% interval, nan where undefined."""
    found = []
    number = {tag: position for position, tag in enumerate(spec.encoded)}
    without_interval = {metric: (value.numpy(), *[np.full(value.shape, np.nan)] * 2) for metric, value in more.items()}
    for metric, (value, low, high) in (_with_intervals(spec, result, n) | without_interval).items():
        for source, target in spec.scored:
            i, j = number[source], number[target]
            named = {"metric": metric, "layer": layer, "source": source, "target": target, "n": n}
            found.append(named | {"value": float(value[i, j]), "low": float(low[i, j]), "high": float(high[i, j])})
    return found


def _with_intervals(spec: AbxSpec, result: Discrimination, n: int) -> dict[str, tuple[Matrix, Matrix, Matrix]]:
    """Each metric's value, low and high: `[languages, languages]`; all on Wilson's scale."""
    from isogloss.backend.metrics.intervals import effective_trials, jackknife_interval, wilson_interval

    intervals: dict[str, tuple[Matrix, Matrix, Matrix]] = {}
    for metric, value, error in (
        ("abx_language", result.language.numpy(), result.language_se.numpy()),
        ("abx_meaning", result.meaning.numpy(), result.meaning_se.numpy()),
    ):
        if spec.protocol == "sampled":  # of the draw of triplets alone
            trials = effective_trials(value, error**2, spec.n_triplets * spec.subsamples)
            intervals[metric] = (value, *wilson_interval(value, trials))
        else:
            intervals[metric] = (value, *jackknife_interval(value, error, n))
    if result.retrieval is not None:
        intervals["retrieval_top1"] = (result.retrieval.numpy(), *wilson_interval(result.retrieval.numpy(), n))
    return intervals
