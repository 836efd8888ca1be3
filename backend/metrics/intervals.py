"""95% intervals: of proportions, of scores between 0 and 1, and of means over runs. No torch: pages may import this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
import scipy  # its submodules load when they are first used: a fifth of a command's start otherwise
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

Z95 = 1.959963984540054
"""`ndtri(0.975)`: the normal quantile that leaves 2.5% on either side."""

Bounds: TypeAlias = tuple[float | None, float | None]
"""The least and the greatest value that a measure can have; None where there is none."""
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class IntervalEstimate(Generic[V]):
    """A value (a number, or an array of them) with its 95% interval; nan where one is not defined."""

    value: V
    low: V
    high: V


IntervalEstimates: TypeAlias = IntervalEstimate[NDArray[np.float64]]


def wilson_interval(
    proportion: ArrayLike, n: ArrayLike, quantile: ArrayLike = Z95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's score interval of a binomial proportion out of `n` trials: low and high; nan for a proportion of nan or n = 0.

    Unlike the normal interval it is not empty at 0 and 1. For the mean of both directions of retrieval, n is the number of
    sentences and not twice that: both directions ask about the same sentences. `n` need not be whole (`effective_trials`), and
    `quantile` is the normal one or, of few observations, Student's. Source: Wilson 1927.
    """
    share, trials, z = (np.asarray(each, np.float64) for each in (proportion, n, quantile))
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = 1 / (1 + z**2 / trials)
        middle = shrink * (share + z**2 / (2 * trials))
        half = shrink * z * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    low, high = np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
    # The share is in it, also where rounding has an end at 0 or 1 just beside it.
    return np.where(trials > 0, np.minimum(low, share), np.nan), np.where(trials > 0, np.maximum(high, share), np.nan)


def effective_trials(value: ArrayLike, variance: ArrayLike, otherwise: ArrayLike) -> NDArray[np.float64]:
    """How many independent trials would give the share `value` this variance: value · (1 − value) / variance.

    `otherwise` where nothing varies or the value is 0 or 1, so that the variance says nothing; nan for a variance of nan.
    Source: Korn & Graubard 1998.
    """
    share, spread = np.asarray(value, np.float64), np.asarray(variance, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        trials = share * (1 - share) / spread
    silent = (spread == 0) | ((trials == 0) & np.isfinite(spread))
    return np.where(silent, otherwise, trials)


def jackknife_interval(
    value: ArrayLike, standard_error: ArrayLike, sentences: ArrayLike, a_sentence: float = 2.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's interval of a share over `sentences` or all their triplets, from its jackknife standard error: low and high.

    Of as many trials as would have that variance (`effective_trials`), and no more than 2n (1 + e²), where e = n · value ·
    (1 − value) is what is wrong in whole sentences: with less than one, the jackknife has not seen what makes triplets wrong.
    A sentence whose vectors say nothing loses half of its triplets, which is worth two trials; of retrieval it is not found,
    in whichever language: `a_sentence` is then one trial. nan stays nan.
    Source: Wilson 1927, Korn & Graubard 1998; the bound is ours (`docs/definitions.md`, with its coverage).
    """
    share, n = np.asarray(value, np.float64), np.asarray(sentences, np.float64)
    most = a_sentence * n * (1 + (n * share * (1 - share)) ** 2)
    trials = effective_trials(share, np.square(np.asarray(standard_error, np.float64)), most)
    return wilson_interval(share, np.minimum(trials, most))


def normal_as_jackknife(
    value: ArrayLike, low: ArrayLike, high: ArrayLike, sentences: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the `jackknife_interval` of scores stored as value ± 1.96 standard errors, cut off at 0 and 1: low and high.

    One cut off at both ends may be of any error: it stays as it is.
    """
    middle, least, most = (np.asarray(each, np.float64) for each in (value, low, high))
    ends = jackknife_interval(middle, np.maximum(middle - least, most - middle) / Z95, sentences)
    any_error = (least <= 0) & (most >= 1)
    return np.where(any_error, least, ends[0]), np.where(any_error, most, ends[1])


def within(low: ArrayLike, high: ArrayLike, bounds: Bounds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of intervals cut off at the least and the greatest value that there can be, None for none; nan stays nan.

    A truth lies within the bounds, so an interval holds it as often as before: what is cut off could never be it.
    """
    least, most = bounds
    return np.clip(np.asarray(low, np.float64), least, most), np.clip(np.asarray(high, np.float64), least, most)


def bounds_of_difference(bounds: Bounds) -> Bounds:
    """Return the bounds of a difference of two values within these."""
    least, most = bounds
    return (None, None) if least is None or most is None else (least - most, most - least)


def median_interval(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 95% interval of the median over the first axis of `[n, ...]`, by the order of the values alone: low and high.

    From the k-th least to the k-th greatest, k the largest with P(fewer than k of n fair coins show heads) ≤ .025; nan where
    n < 6, for which there is none. Source: Conover 1999, section 3.2.
    """
    ordered = np.sort(np.asarray(values, np.float64), axis=0)
    n = len(ordered)
    k = int(scipy.stats.binom.ppf(0.025, n, 0.5)) if n > 5 else 0
    none = np.full(ordered.shape[1:], np.nan)
    return (ordered[k - 1], ordered[n - k]) if k > 0 else (none, none)


def difference_ends(
    first: Sequence[ArrayLike], second: Sequence[ArrayLike], *, apart: bool = False, bounds: Bounds = (0.0, 1.0)
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 95% interval of first − second, each a value with its low and its high: low and high.

    They are cut off at what a difference of two values within `bounds` can be: of shares −1 and 1. The difference is lowest
    where the first is at its low and the second at its high: the distances to these ends add up, which is the widest interval
    that it can have, however the errors move together; `apart`, of errors that have nothing to do with each other, their
    squares do. Source: Zou & Donner 2008, after Newcombe 1998, method 10.
    """
    (value, low, high), (other, its_low, its_high) = (map(np.asarray, each) for each in (first, second))
    add = np.hypot if apart else np.add
    below, above = add(value - low, its_high - other), add(high - value, other - its_low)
    return within(value - other - below, value - other + above, bounds_of_difference(bounds))


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
    half = scipy.special.stdtrit(n - 1, 0.975) * deviation / np.sqrt(n) if n > 1 else deviation
    return MeanOfRuns(mean, mean - half, mean + half, deviation, n)
