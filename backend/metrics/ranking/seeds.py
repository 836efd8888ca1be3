"""Several seeds of a model as one, with the spread between them: apart from how the mean varies with its languages.

A seed is a training drawn anew, the languages the same. No torch: pages may import this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy

from isogloss.backend.metrics.ranking.apart import Differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.metrics.ranking.shared import Shared

    Floats = NDArray[np.float64]


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
        """Return every model less every other with Welch's 95% interval: other seeds of both, the same languages.

        Seeds of two models are not paired, even where they have the same numbers. Source: Welch 1947.
        """
        own = np.square(self.deviation) / self.count
        half = _half(np.sqrt(own[:, None] + own), self.freedom())
        value = self.value[:, None] - self.value
        np.fill_diagonal(half, 0.0)
        return Differences(value, value - half, value + half)

    def freedom(self) -> Floats:
        """Return the degrees of freedom of Welch's interval of every two models, [models, models]; 1 where no seeds differ."""
        own = np.square(self.deviation) / self.count
        both: Floats = own[:, None] + own
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.square(own) / (self.count - 1)
            return np.where(both > 0, np.square(both) / (part[:, None] + part), 1.0)


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
