"""95% intervals of proportions and of scores between 0 and 1. No torch: pages may import this."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Z95 = float(ndtri(0.975))
"""1.959964: the normal quantile that leaves 2.5% on either side."""


def normal_interval(value: ArrayLike, standard_error: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`value` ± 1.96 standard errors, cut off at 0 and 1: low and high, of the inputs' shape. nan stays nan.

    With the jackknife's standard error, this is the interval of the ABX scores over sentences.
    """
    middle, half = np.asarray(value, np.float64), Z95 * np.asarray(standard_error, np.float64)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def wilson_interval(proportion: ArrayLike, n: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's score interval of a binomial proportion out of `n` trials: low and high; nan for a proportion of nan or n = 0.

    Unlike the normal interval it is not empty at 0 and 1. For the mean of both directions of retrieval, n is the number of
    sentences and not twice that: both directions ask about the same sentences. Source: Wilson 1927.
    """
    share, trials = np.asarray(proportion, np.float64), np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = 1 / (1 + Z95**2 / trials)
        middle = shrink * (share + Z95**2 / (2 * trials))
        half = shrink * Z95 * np.sqrt(share * (1 - share) / trials + Z95**2 / (4 * trials**2))
    valid = trials > 0
    return np.where(valid, np.clip(middle - half, 0, 1), np.nan), np.where(valid, np.clip(middle + half, 0, 1), np.nan)
