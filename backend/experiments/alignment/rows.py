"""What word and sentence alignment have in common: the accuracies of a pair of languages, with their intervals.

Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from backend.experiments.spec import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from backend.metrics.retrieval.accuracy import Similarity

FAMILY = "alignment"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""
Measure = Literal["weak", "strong", "strong_released"]
MEASURES: tuple[Measure, ...] = ("weak", "strong", "strong_released")
"""Candidates of the other language (Eq. 1), of the same (Eq. 3), and of both, as in the authors' first released code."""


def both_directions(
    u: Tensor, v: Tensor, k: int, similarity: Similarity, centre: bool, should_stop: Callable[[], bool]
) -> tuple[dict[Measure, float], dict[Measure, float]]:
    """Accuracies of finding v from u, and u from v. `[n, dims]` each; `centre` takes each language's mean out first."""
    from backend.metrics.retrieval import accuracy as retrieval

    if centre:
        u, v = retrieval.centre(u), retrieval.centre(v)
    try:
        there = retrieval.accuracies(u, v, k, similarity=similarity, should_stop=should_stop)
        back = retrieval.accuracies(v, u, k, similarity=similarity, should_stop=should_stop)
    except retrieval.Stopped as error:
        raise Cancelled from error
    found = [{measure: float(getattr(each, measure)) for measure in MEASURES} for each in (there, back)]
    return found[0], found[1]


def wilson(value: float, n: int) -> tuple[float, float]:
    """Return the 95% interval of an accuracy over n queries."""
    from backend.metrics.intervals import wilson_interval

    low, high = wilson_interval(np.array(value), np.array(n))
    return float(low), float(high)
