"""What word and sentence alignment have in common: the accuracies of a pair of languages, with their intervals.

Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from isogloss.backend.experiments.spec import cancelling
from isogloss.backend.metrics.retrieval.options import NEIGHBOURS

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from isogloss.backend.metrics.retrieval.options import Similarity, Task

T = TypeVar("T")
FAMILY = "alignment"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""
MEASURES: tuple[Task, ...] = ("weak", "strong", "strong_released")
"""Candidates of the other language (Eq. 1), of the same (Eq. 3), and of both in one pool."""
SELF_MEASURES: dict[Task, str] = {"weak": "weak", "strong_self": "strong"}
"""What is scored where a word is its own neighbour in CSLS, as by the code of table IV, and its field of `Hits`."""


class Compared(Protocol):
    """How a spec compares vectors."""

    @property
    def similarity(self) -> Similarity: ...  # noqa: D102 — a field of each spec's own

    @property
    def k(self) -> int: ...  # noqa: D102

    @property
    def centred(self) -> bool: ...  # noqa: D102

    @property
    def self_neighbour(self) -> bool: ...  # noqa: D102


def similarity_part(spec: Compared) -> str:
    """Return the similarity as a `variant` names it, with its neighbours where it asks for any: `csls10`, `cosine`."""
    return f"{spec.similarity}{spec.k}" if spec.similarity in NEIGHBOURS else spec.similarity


def is_self_neighbour(spec: Compared) -> bool:
    """Whether a word is its own neighbour: a question to what asks for neighbours alone."""
    return spec.self_neighbour and spec.similarity in NEIGHBOURS


def both_directions(
    u: Tensor, v: Tensor, spec: Compared, should_stop: Callable[[], bool]
) -> tuple[dict[Task, float], dict[Task, float]]:
    """Accuracies of finding v from u, and u from v, `[n, dims]` each, compared as `spec` says; nan of one pair."""
    from isogloss.backend.metrics.retrieval import accuracy as retrieval

    there, back = (
        {measure: float(getattr(each, name)) for measure, name in measures_of(spec).items()}
        for each in _in_both_directions(retrieval.accuracies, u, v, spec, should_stop)
    )
    return there, back


def found_in_both_directions(
    u: Tensor, v: Tensor, spec: Compared, should_stop: Callable[[], bool]
) -> tuple[dict[Task, Tensor], dict[Task, Tensor]]:
    """Which of two vectors or more find their translation, bool `[n]`: v from u, and u from v, compared as `spec` says."""
    from isogloss.backend.metrics.retrieval import accuracy as retrieval

    there, back = (
        {measure: getattr(each, name) for measure, name in measures_of(spec).items()}
        for each in _in_both_directions(retrieval.hits, u, v, spec, should_stop)
    )
    return there, back


def _in_both_directions(
    compare: Callable[..., T], u: Tensor, v: Tensor, spec: Compared, should_stop: Callable[[], bool]
) -> tuple[T, T]:
    from isogloss.backend.metrics.retrieval.accuracy import centre

    if spec.centred:
        u, v = centre(u), centre(v)
    how = {"similarity": spec.similarity, "self_neighbour": is_self_neighbour(spec), "should_stop": should_stop}
    with cancelling():
        return compare(u, v, spec.k, **how), compare(v, u, spec.k, **how)


def measures_of(spec: Compared) -> dict[Task, str]:
    """Return what is scored, each with its field of `Hits`."""
    return SELF_MEASURES if is_self_neighbour(spec) else {measure: measure for measure in MEASURES}


def wilson(value: float, n: int) -> tuple[float, float]:
    """Return the 95% interval of an accuracy over n queries."""
    from isogloss.backend.metrics.intervals import wilson_interval

    low, high = wilson_interval(np.array(value), np.array(n))
    return float(low), float(high)
