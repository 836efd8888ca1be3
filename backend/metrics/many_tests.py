"""p-values of many tests at once. No torch: pages may import this."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import Z95

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def p_of_intervals(value: ArrayLike, low: ArrayLike, high: ArrayLike, freedom: ArrayLike = np.inf) -> NDArray[np.float64]:
    """Return the two-sided p of values against 0 from their 95% intervals: below .05 where 0 lies outside.

    The standard error is a 1.96th of the distance to the end on the side of 0, so that it may differ between the sides; 1 for a
    value of 0, 0 where it is its own end. nan without an end. Where the interval is Student's, of so many degrees of `freedom`,
    his quantile stands for 1.96 and p is his: the normal one of a small p is far smaller. Source: Altman & Bland 2011.
    """
    middle, least, most = (np.asarray(each, np.float64) for each in (value, low, high))
    away = np.where(middle > 0, middle - least, most - middle)
    of_student = np.isfinite(freedom)
    degrees = np.where(of_student, freedom, 1.0)
    quantile = np.where(of_student, scipy.special.stdtrit(degrees, 0.975), Z95)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(middle == 0, 0.0, quantile * np.abs(middle) / np.maximum(away, 0.0))
    beyond = np.where(of_student, scipy.special.stdtr(degrees, -t), scipy.special.ndtr(-t))
    p: NDArray[np.float64] = np.where(np.isfinite(away), 2 * beyond, np.nan)
    return p


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust each p of a family of m tests: those below q are the tests at a false discovery rate of q (Benjamini & Hochberg).

    Of p₍₁₎ ≤ … ≤ p₍ₘ₎ the i-th is min over j ≥ i of m · p₍ⱼ₎ / j, at most 1 as p is. `p` is of any shape; nan is no test and
    stays. A family in which every test stands k times gives what it gives with each once.
    """
    values = np.asarray(p, np.float64)
    flat = values.ravel()
    order = np.argsort(flat)  # nan last
    order = order[: np.isfinite(flat).sum()]
    scaled = flat[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted = np.full(flat.shape, np.nan)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return adjusted.reshape(values.shape)
