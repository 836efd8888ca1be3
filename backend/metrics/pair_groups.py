"""The mean of a group of languages, each the mean over its pairs, with other languages like these. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import IntervalEstimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MeanOfGroup(IntervalEstimates):
    """The mean over a group in each column, with its 95% interval and the two-sided p against 0; nan of fewer than two."""

    p: Floats


def mean_of_group(values: Floats, members: Sequence[int]) -> MeanOfGroup:
    """Return the mean over the languages `members` of `values` [languages, columns], each of which is the mean over its pairs.

    What a language adds goes into its own mean and, by 1/(n − 2) of it, into that of each other: a group of k of n languages
    has the variance s² (1 + k/(n − 2))² / k + (n − k) s₀² / (n − 2)², with s² the variance of the values in the group and s₀²
    that of the others (Student's interval has s² / k alone). Both parts' distances at their own degrees of freedom are put
    together by their squares: k − 1, and one less than there are others, or in the group where that is more. p is Student's
    with as many as have that interval. nan: a language without a value.
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
        error = np.where((k > 1) & (k + left > 2), np.sqrt(by_own + by_others), np.nan)
        squares = np.square(_quantile(k)) * by_own + np.square(_quantile(np.maximum(k, left))) * by_others
        half = np.where(error > 0, np.sqrt(squares), error)
        t = np.where(own.mean == 0, 0.0, np.abs(own.mean) / error)
        freedom = np.where(error > 0, scipy.special.stdtridf(0.975, half / error), 1.0)
    p = np.where(np.isnan(error), np.nan, 2 * scipy.special.stdtr(freedom, -t))
    return MeanOfGroup(own.mean, own.mean - half, own.mean + half, p)


def _quantile(n: Floats) -> Floats:
    """Return Student's quantile that leaves 2.5% above it, of n values."""
    return np.asarray(scipy.special.stdtrit(np.maximum(n - 1, 1), 0.975), np.float64)


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
