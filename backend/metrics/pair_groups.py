"""The mean of a group of languages, each the mean over its pairs, with other languages like these. No torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import Z95, IntervalEstimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST, HALVINGS = 1e-300, 40
"""The least p, and how often the range that p lies in is halved."""
NORMAL = 1e9
"""So many degrees of freedom that Student's quantiles are normal ones."""


@dataclass(frozen=True, eq=False)
class MeanOfGroup(IntervalEstimates):
    """The mean over a group in each column, with its 95% interval and the two-sided p against 0; nan of fewer than two."""

    variance: Floats
    """[parts, columns]: of the mean, by the group's languages, by the others, and by what was put `on_top`."""
    freedom: Floats
    """[parts, columns]: degrees of freedom of each."""

    def on_top(self, half: Floats) -> MeanOfGroup:
        """Return the mean with a part more, which has nothing to do with the others: ± `half` [columns] is its 95% interval."""
        more = np.square(np.asarray(half, np.float64) / Z95)
        made = replace(
            self, variance=np.vstack([self.variance, more]), freedom=np.vstack([self.freedom, np.full(len(more), NORMAL)])
        )
        away = made._half(0.025)
        return replace(made, low=made.value - away, high=made.value + away)

    @cached_property
    def p(self) -> Floats:
        """One less the level of the interval that just reaches 0, by halving; 0 of a value without error, 1 of a value of 0.

        The parts' quantiles grow apart at high levels, which are what correcting for many tests looks at: p by one quantile for
        both told some of many small groups without a difference apart in half of all heatmaps.
        """
        error = np.sqrt(self.variance.sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(self.value == 0, 0.0, np.abs(self.value) / error)
        ends = np.sort(2 * scipy.special.stdtr(self.freedom, -t), axis=0)
        low, high = np.log(np.maximum(ends[[0, -1]], LEAST))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            reaches = self._half(np.exp(middle) / 2) >= np.abs(self.value)
            low, high = np.where(reaches, middle, low), np.where(reaches, high, middle)
        p = np.where(error > 0, np.exp((low + high) / 2), ends[0])
        return np.where(np.isnan(error), np.nan, np.where(self.value == 0, 1.0, p))

    def _half(self, beyond: Floats | float) -> Floats:
        """Return how far the ends lie from the value that leave the share `beyond` on either side."""
        with np.errstate(over="ignore", invalid="ignore"):  # far out a quantile of one degree of freedom has no square
            squares = np.square(scipy.special.stdtrit(self.freedom, beyond)) * self.variance
        squares = np.where(self.variance == 0, 0.0, squares)
        return np.asarray(np.sqrt(squares.sum(axis=0)), np.float64)


def mean_of_group(values: Floats, members: Sequence[int]) -> MeanOfGroup:
    """Return the mean over the languages `members` of `values` [languages, columns], each of which is the mean over its pairs.

    What a language adds goes into its own mean and, by 1/(n − 2) of it, into that of each other: a group of k of n languages
    has the variance s² (1 + k/(n − 2))² / k + (n − k) s₀² / (n − 2)², with s² the variance of the values in the group and s₀²
    that of the others (Student's interval has s² / k alone). Both parts' distances at their own degrees of freedom are put
    together by their squares: k − 1, and one less than there are others, or in the group where that is more. nan: a language
    without a value.
    Source: Snijders & Borgatti 1999 (what vertices add); Student 1908; Zou & Donner 2008.
    """
    given = np.asarray(values, np.float64)
    inside = np.zeros(len(given), bool)
    inside[list(members)] = True
    own, others = (_moments(given[rows]) for rows in (inside, ~inside))
    k, left = own.n, others.n
    with np.errstate(divide="ignore", invalid="ignore"):
        by_own = own.variance * np.square(1 + k / (k + left - 2)) / k
        by_others = np.where(left > 0, left * np.where(left > 1, others.variance, own.variance), 0.0) / np.square(k + left - 2)
    variance = np.where((k > 1) & (k + left > 2), [by_own, by_others], np.nan)
    freedom = np.maximum([k - 1, np.maximum(k, left) - 1], 1)
    found = MeanOfGroup(own.mean, own.mean, own.mean, variance, freedom)
    half = found._half(0.025)
    return replace(found, low=own.mean - half, high=own.mean + half)


def mean_of_languages(values: Floats) -> MeanOfGroup:
    """Return the mean over languages of `values` [languages, columns], each its own: Student's; nan of fewer than two.

    nan: a language without a value.
    """
    found = _moments(np.asarray(values, np.float64))
    several = found.n > 1
    variance = np.where(several, np.divide(found.variance, found.n, out=np.zeros(len(found.n)), where=several), np.nan)
    made = MeanOfGroup(found.mean, found.mean, found.mean, variance[None], np.maximum(found.n - 1, 1)[None])
    half = made._half(0.025)
    return replace(made, low=found.mean - half, high=found.mean + half)


@dataclass(frozen=True, eq=False)
class _Moments:
    n: Floats
    mean: Floats
    variance: Floats
    """0 of fewer than two."""


def _moments(values: Floats) -> _Moments:
    known = np.isfinite(values)
    n = known.sum(axis=0).astype(np.float64)
    mean = np.divide(np.where(known, values, 0.0).sum(axis=0), n, out=np.full(len(n), np.nan), where=n > 0)
    square = np.square(np.where(known, values - mean, 0.0)).sum(axis=0)
    return _Moments(n, mean, np.divide(square, n - 1, out=np.zeros(len(n)), where=n > 1))
