"""The delete-one jackknife over sentences, for shares of triplets: standard errors, and intervals of differences.

No torch: pages may import this. Source: Efron & Stein 1981, "The jackknife estimate of variance"; Arvesen 1969, "Jackknifing
U-statistics".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy  # its submodules load when they are first used

from isogloss.backend.metrics.intervals import Z95, jackknife_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ends = tuple[ArrayLike, ArrayLike, ArrayLike]
    """A value with its low and its high."""


def leave_one_out(involved: ArrayLike, directions: int = 1) -> Floats:
    """Return the delete-one shares of right triplets, ties one half: `[…, sentences]`, nan for fewer than three sentences.

    `involved` `[…, sentences]` is, for each sentence, the sum of the outcomes (+1 right, 0 tie, -1 wrong) of the triplets that
    it takes part in, over one direction of a pair or summed over two (`directions`), or the mean of such sums over pairs.

    Leaving sentence k out leaves out exactly the triplets with p = k or q = k, so nothing is compared again: see
    `docs/definitions.md`.
    """
    sums = np.asarray(involved, np.float64)
    n = sums.shape[-1]
    triplets = directions * (n - 1) * (n - 2)
    if triplets <= 0:
        return np.full(sums.shape, np.nan)
    # Each triplet is counted with its p and with its q; whole numbers below 2⁵³ are exact.
    twice_right: Floats = triplets + sums.sum(-1, keepdims=True) / 2 - sums
    found: Floats = twice_right / (2 * triplets)
    return found


def standard_error(without: ArrayLike) -> Floats:
    """Return the jackknife standard error √((n − 1)/n · Σ (value without k − their mean)²) over the last axis of `[…, n]`."""
    values = np.asarray(without, np.float64)
    n = values.shape[-1]
    away = values - values.mean(-1, keepdims=True)
    found: Floats = np.sqrt((n - 1) / n * np.square(away).sum(-1))
    return found


def difference_interval(difference: ArrayLike, first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Return the 95% interval of differences `[…]`, first − second: low and high, cut off at −1 and 1; nan stays nan.

    `first` and `second` `[…, n]` are the delete-one values of both, without the same sentence at the same place: they are
    subtracted before the standard error is taken, so what both owe to the same sentences cancels (paired jackknife); the
    quantile is Student's, of n − 1 degrees of freedom. Near 0 and 1, where the jackknife has not seen what makes triplets
    wrong, an end is no nearer than both sides' `jackknife_interval` put it, as far as these move together.
    Source: Efron & Stein 1981; Zou & Donner 2008 (ends of correlated shares); that the farther end counts is ours.
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n = one.shape[-1]
    errors = standard_error(one), standard_error(other)
    means = one.mean(axis=-1), other.mean(axis=-1)
    sides = [(mean, *jackknife_interval(mean, error, n)) for mean, error in zip(means, errors, strict=True)]
    low, high = no_nearer(difference, sides[0], sides[1], (*errors, standard_error(one - other)), n)
    return np.clip(low, -1, 1), np.clip(high, -1, 1)


def no_nearer(
    difference: ArrayLike, first: Ends, second: Ends, errors: tuple[ArrayLike, ArrayLike, ArrayLike], n: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the 95% interval of differences by the error of what n sentences do to both, and by both sides' own ends.

    `first` and `second` are value, low and high of both sides, `errors` their jackknife standard errors and that of the
    difference. An end is as far as Student's quantile of the last puts it, and no nearer than the ends of both sides put it as
    far as these move together. Source: as `difference_interval`.
    """
    middle = np.asarray(difference, np.float64)
    own, its, paired = (np.asarray(error, np.float64) for error in errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        together = (np.square(own) + np.square(its) - np.square(paired)) / (2 * own * its)
    together = np.where(own * its > 0, together, 0.0)
    (value, low, high), (other, its_low, its_high) = (
        [np.asarray(each, np.float64) for each in side] for side in (first, second)
    )
    below, above = (
        np.sqrt(np.maximum(np.square(x) + np.square(y) - 2 * together * x * y, 0.0)) / Z95
        for x, y in ((value - low, its_high - other), (high - value, other - its_low))
    )
    quantile = scipy.special.stdtrit(np.asarray(n, np.float64) - 1, 0.975)
    return middle - quantile * np.maximum(paired, below), middle + quantile * np.maximum(paired, above)
