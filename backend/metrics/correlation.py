"""Correlation of two sets of scores, with a 95% interval. No torch: pages may import this."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import Z95, IntervalEstimate, IntervalEstimates
from isogloss.backend.metrics.ranks import ranks as ranks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Correlation(IntervalEstimate[float]):
    """A coefficient between -1 and 1, its 95% interval, the two-sided p-value, and the number of pairs of values it rests on.

    nan where it is not defined: fewer than two pairs, or either side constant. The interval needs four pairs. Interval and p
    take the pairs as independent; pairs of languages share languages, so for them both are optimistic.
    """

    p: float
    n: int


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Pearson's correlation; interval by Fisher's z transformation, standard error 1 / √(n - 3). Pairs with a nan are left out.

    Raises ValueError where x and y differ in shape.
    """
    return _correlate(x, y, lambda both: both, lambda _: 1.0)


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's rank correlation, tied values at their mean rank; pairs with a nan are left out.

    Interval by Fisher's z with the standard error √((1 + ρ²/2) / (n - 3)) of Bonett & Wright 2000.
    Raises ValueError where x and y differ in shape.
    """
    return _correlate(x, y, ranks_of, lambda value: math.sqrt(1 + value**2 / 2))


LEFT = 1e-9
"""A side of which the controls leave less than this share (of its deviation) is one of their combinations."""


def partial_correlation(x: ArrayLike, y: ArrayLike, controls: Sequence[ArrayLike], *, ranks: bool = False) -> Correlation:
    """Return the correlation of what `controls` leave of x and y, by least squares with an intercept; with `ranks`, of ranks.

    Interval and p as of `pearson` (`spearman` with `ranks`) with a pair of values fewer for each control that is not a
    combination of the others. Pairs that lack any number are left out. nan where the controls leave nothing of a side.
    Raises ValueError where shapes differ. Source: Fisher 1924, "The distribution of the partial correlation coefficient".
    """
    columns = [np.asarray(each, np.float64) for each in (x, y, *controls)]
    if any(each.shape != columns[0].shape for each in columns):
        raise ValueError("A partial correlation needs as many values of each, not shapes that differ.")
    table = np.stack([each.ravel() for each in columns])
    table = table[:, np.isfinite(table).all(axis=0)]
    n = table.shape[1]
    if ranks:
        table = ranks_of(table)
    moved = table - table.mean(axis=1, keepdims=True) if n else table
    design = np.array([each / scale for each in moved[2:] if (scale := np.abs(each).max(initial=0.0)) > 0])
    taken = int(np.linalg.matrix_rank(design)) if len(design) and n else 0
    left = moved[:2] - (np.linalg.lstsq(design.T, moved[:2].T, rcond=None)[0].T @ design if taken else 0.0)
    sizes = [float(each @ each) for each in left]
    if (
        n < 2
        or not all(map(_varies, table[:2]))
        or any(a <= LEFT**2 * float(b @ b) for a, b in zip(sizes, moved, strict=False))
    ):
        return Correlation(math.nan, math.nan, math.nan, math.nan, n)
    value = float(np.clip(left[0] @ left[1] / math.sqrt(sizes[0] * sizes[1]), -1.0, 1.0))
    p = _by_chance(value, n - 2 - taken)
    return Correlation(value, *_fisher(value, n - taken, math.sqrt(1 + value**2 / 2) if ranks else 1.0), p, n)


@dataclass(frozen=True, eq=False)
class Correlations(IntervalEstimates):
    """`Correlation` of many rows at once, without p: arrays [rows], nan where a coefficient or its interval is not defined."""

    n: NDArray[np.int64]
    """Pairs of values that each rests on."""


def spearman_rows(x: ArrayLike, y: ArrayLike) -> Correlations:
    """`spearman` of every row of x [rows, pairs] with the same row of y.

    Raises ValueError where x and y are not two such arrays.
    """
    a, b = _both(x, y)
    undefined = _constant(a) | _constant(b)
    return _correlate_rows(ranks_of(a), ranks_of(b), undefined)


def _both(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both arrays [rows, pairs], nan on both sides where either side is not a finite number."""
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape or a.ndim != 2:
        raise ValueError(f"Correlation by rows needs two tables of one shape, not shapes {a.shape} and {b.shape}.")
    known = np.isfinite(a) & np.isfinite(b)
    return np.where(known, a, np.nan), np.where(known, b, np.nan)


def _constant(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows do not vary, as `_varies` has it; so do rows of fewer than two numbers."""
    known = ~np.isnan(values)
    least = np.where(known, values, np.inf).min(axis=1, initial=np.inf)
    most = np.where(known, values, -np.inf).max(axis=1, initial=-np.inf)
    size = np.where(known, np.abs(values), 0.0).max(axis=1, initial=0.0)
    varies: NDArray[np.bool_] = (known.sum(axis=1) > 1) & (most - least > 1e-13 * size)
    return ~varies


def _correlate_rows(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    undefined: NDArray[np.bool_],
) -> Correlations:
    known = ~np.isnan(a)
    n = known.sum(axis=1)
    left, right = (_centred(values, known, n) for values in (a, b))
    size = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    value = np.divide((left * right).sum(axis=1), size, out=np.full(len(n), np.nan), where=~undefined & (size > 0))
    value = value.clip(-1.0, 1.0)
    with np.errstate(divide="ignore"):  # a coefficient of ±1 is its own interval: atanh is infinite, and tanh brings it back
        centre = np.arctanh(value)
    half = Z95 * np.sqrt(1 + value**2 / 2) / np.sqrt(np.where(n < 4, np.nan, n - 3))
    return Correlations(value, np.tanh(centre - half), np.tanh(centre + half), n.astype(np.int64))


def _centred(values: NDArray[np.float64], known: NDArray[np.bool_], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each row less its mean, scaled by its largest so that no square is lost; 0 where nothing is known."""
    mean = np.where(known, values, 0.0).sum(axis=1) / np.maximum(n, 1)
    moved = np.where(known, values - mean[:, None], 0.0)
    largest = np.abs(moved).max(axis=1, initial=0.0)
    return moved / np.where(largest > 0, largest, 1.0)[:, None]


def with_interval(value: float, n: int, *, ranks: bool) -> Correlation:
    """Return a coefficient over n pairs of values with the interval of `pearson`, of `spearman` with `ranks`; without a p."""
    return Correlation(value, *_fisher(value, n, math.sqrt(1 + value**2 / 2) if ranks else 1.0), math.nan, n)


def _complete(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape:
        raise ValueError(f"Correlation needs as many values on both sides, not shapes {a.shape} and {b.shape}.")
    both = np.isfinite(a) & np.isfinite(b)
    return a[both], b[both]


def _varies(values: NDArray[np.float64]) -> bool:
    """Whether the values differ by more than rounding: what is left of a constant in its last bits correlates with nothing."""
    return len(values) > 1 and bool(np.ptp(values) > 1e-13 * np.abs(values).max())


def _correlate(
    x: ArrayLike,
    y: ArrayLike,
    told: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    spread: Callable[[float], float],
) -> Correlation:
    """Return the correlation of what `told` makes of both sides [2, pairs]; `spread` is its error times √(n − 3)."""
    a, b = _complete(x, y)
    if not _varies(a) or not _varies(b):
        return Correlation(math.nan, math.nan, math.nan, math.nan, len(a))
    both = told(np.stack([a.ravel(), b.ravel()]))
    moved = _centred(both, np.ones(both.shape, bool), np.full(2, len(a)))
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    value = float(np.clip(moved[0] @ moved[1], -1.0, 1.0))
    return Correlation(value, *_fisher(value, len(a), spread(value)), _by_chance(value, len(a) - 2), len(a))


def _by_chance(value: float, freedom: int) -> float:
    """Return the two-sided p of a coefficient, by Student's distribution; nan without a degree of freedom."""
    if freedom < 1:
        return math.nan
    if abs(value) >= 1:
        return 0.0
    return 2 * float(scipy.special.stdtr(freedom, -abs(value) * math.sqrt(freedom / ((1 - value) * (1 + value)))))


def _fisher(value: float, n: int, spread: float) -> tuple[float, float]:
    if n < 4:
        return math.nan, math.nan
    if abs(value) >= 1:
        return value, value
    half = Z95 * spread / math.sqrt(n - 3)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
