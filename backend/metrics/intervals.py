"""95% intervals: of proportions, of scores between 0 and 1, and of means over runs. No torch: pages may import this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Z95 = float(ndtri(0.975))
"""1.959964: the normal quantile that leaves 2.5% on either side."""

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class IntervalEstimate(Generic[V]):
    """A value (a number, or an array of them) with its 95% interval; nan where one is not defined."""

    value: V
    low: V
    high: V


IntervalEstimates: TypeAlias = IntervalEstimate[NDArray[np.float64]]


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


@dataclass(frozen=True, eq=False)
class MeanOfRuns(IntervalEstimates):
    """The mean over the last axis of what was given, its standard deviation and `n`, that axis' length.

    With one run the standard deviation and the interval are nan: one run says nothing about how far another would differ.
    """

    standard_deviation: NDArray[np.float64]
    n: int


def mean_of_runs(values: ArrayLike) -> MeanOfRuns:
    """Return the mean over `[..., runs]` and Student's interval of it: mean ± t(0.975, n - 1) · standard deviation / √n.

    The standard deviation is the sample's, with n - 1 below the line. The interval is not cut off at 0 and 1. A run of nan
    makes all nan: which runs to leave out is for the caller to say. Raises ValueError where there are no runs.
    """
    runs = np.asarray(values, np.float64)
    if runs.ndim == 0 or runs.shape[-1] == 0:
        raise ValueError(f"A mean over runs needs an array [..., runs] with at least one run, not {list(runs.shape)}.")
    n = runs.shape[-1]
    mean = runs.mean(-1)
    deviation = runs.std(-1, ddof=1) if n > 1 else np.full_like(mean, np.nan)
    half = stdtrit(n - 1, 0.975) * deviation / np.sqrt(n) if n > 1 else deviation
    return MeanOfRuns(mean, mean - half, mean + half, deviation, n)
