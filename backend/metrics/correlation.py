"""Correlation of two sets of scores, with a 95% interval. No torch: pages may import this."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from backend.metrics.intervals import Z95

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Correlation:
    """A coefficient between -1 and 1, its 95% interval, the two-sided p-value, and the number of pairs of values it rests on.

    nan where it is not defined: fewer than two pairs, or either side constant. The interval needs four pairs. Interval and p
    take the pairs as independent; pairs of languages share languages, so for them both are optimistic.
    """

    value: float
    low: float
    high: float
    p: float
    n: int


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Pearson's correlation; interval by Fisher's z transformation, standard error 1 / √(n - 3). Pairs with a nan are left out.

    Raises ValueError where x and y differ in shape.
    """
    a, b = _complete(x, y)
    if not _varies(a) or not _varies(b):
        return _undefined(len(a))
    found = stats.pearsonr(a, b)
    value = float(found.statistic)
    return Correlation(value, *_fisher(value, len(a), 1.0), float(found.pvalue) if len(a) > 2 else math.nan, len(a))


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's rank correlation, tied values at their mean rank; pairs with a nan are left out.

    Interval by Fisher's z with the standard error √((1 + ρ²/2) / (n - 3)) of Bonett & Wright 2000.
    Raises ValueError where x and y differ in shape.
    """
    a, b = _complete(x, y)
    if not _varies(a) or not _varies(b):
        return _undefined(len(a))
    found = stats.spearmanr(a, b)
    value = float(found.statistic)
    spread = math.sqrt(1 + value**2 / 2)
    return Correlation(value, *_fisher(value, len(a), spread), float(found.pvalue) if len(a) > 2 else math.nan, len(a))


def _complete(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape:
        raise ValueError(f"Correlation needs as many values on both sides, not shapes {a.shape} and {b.shape}.")
    both = np.isfinite(a) & np.isfinite(b)
    return a[both], b[both]


def _varies(values: NDArray[np.float64]) -> bool:
    """Whether the values differ by more than rounding: what is left of a constant in its last bits correlates with nothing."""
    return len(values) > 1 and bool(np.ptp(values) > 1e-13 * np.abs(values).max())


def _undefined(n: int) -> Correlation:
    return Correlation(math.nan, math.nan, math.nan, math.nan, n)


def _fisher(value: float, n: int, spread: float) -> tuple[float, float]:
    if n < 4:
        return math.nan, math.nan
    if abs(value) >= 1:
        return value, value
    half = Z95 * spread / math.sqrt(n - 3)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
