"""Several seeds of a model as one, with the spread between them: apart from how the mean varies with its languages.

A seed is a training drawn anew, the languages the same. No torch: pages may import this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from isogloss.backend.metrics.intervals import IntervalEstimates
from isogloss.backend.metrics.ranking.apart import Differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.metrics.ranking.shared import Shared

    Floats = NDArray[np.float64]
    Both = Sequence[NDArray[Any]] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Seeds:
    """How far the seeds of each model lie apart: arrays [models]; nan of a model of one seed, but for the count."""

    value: Floats
    """Mean over seeds, each a mean over the languages."""
    count: NDArray[np.intp]
    deviation: Floats
    """Standard deviation between seeds, its square divided by their number less one."""

    def ends(self) -> tuple[Floats, Floats]:
        """Return Student's 95% interval of each mean, with other seeds and the same languages."""
        half = _half(self.deviation / self.count**0.5, self.count - 1)
        return self.value - half, self.value + half

    def differences(self) -> Differences:
        """Return every model less every other with Welch's 95% interval: other seeds of both, the same languages."""
        found = self._apart()
        low, high = found.low.copy(), found.high.copy()
        np.fill_diagonal(low, 0.0)
        np.fill_diagonal(high, 0.0)
        return Differences(found.value, low, high)

    def freedom(self) -> Floats:
        """Return the degrees of freedom of Welch's interval of every two models, [models, models]; 1 where no seeds differ."""
        return self._apart().freedom

    def _apart(self) -> Welch:
        return welch(*((each[:, None], each[None]) for each in (self.value, self.count, self.deviation)))


@dataclass(frozen=True, eq=False)
class Welch(IntervalEstimates):
    """Differences of two means of seeds with Welch's 95% interval; nan where a side has one seed."""

    freedom: Floats
    """Degrees of freedom; 1 where no seeds differ."""


def welch(mean: Both, count: Both, deviation: Both) -> Welch:
    """Return the first less the second mean over seeds, with other seeds of both: each is (first, second), of one shape.

    Seeds of two models are not paired, even where they have the same numbers. Source: Welch 1947.
    """
    first, second = (np.square(each) / amount for each, amount in zip(deviation, count, strict=True))
    both = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.square(first) / (count[0] - 1) + np.square(second) / (count[1] - 1)
        freedom = np.where(both > 0, np.square(both) / parts, 1.0)
    value = mean[0] - mean[1]
    half = _half(np.sqrt(both), freedom)
    return Welch(value, value - half, value + half, freedom)


def together(shared: Shared, models: Sequence[int]) -> tuple[Shared, Seeds]:
    """Return the models that the given ones are seeds of, as means over these, and the spread between seeds.

    `models` has the number of the model that each given one is a seed of (of one seed: a number of its own). A mean is over the
    seeds that have enough languages to be there; all are on the same languages.
    """
    of_seed = np.asarray(models, np.intp)[shared.models]
    found = np.unique(of_seed)
    member = of_seed == found[:, None]
    count = member.sum(axis=1)
    weight = member / count[:, None]
    one = shared.of
    of = replace(one, value=weight @ one.value, each=weight @ one.each, noise=weight @ one.noise @ weight.T)
    square = (member * np.square(one.value - of.value[:, None])).sum(axis=1)
    deviation = np.sqrt(np.divide(square, count - 1, out=np.full(len(found), np.nan), where=count > 1))
    return replace(shared, models=found, of=of), Seeds(of.value, count, deviation)


def _half(error: Floats, freedom: ArrayLike) -> Floats:
    known = np.isfinite(error)
    if not known.any():
        return np.full(error.shape, np.nan)  # without scipy, which takes a third of a second to come
    half: Floats = np.where(known, error, np.nan) * scipy.special.stdtrit(np.where(known, freedom, 1.0), 0.975)
    return half
