"""The paired interval of a difference in retrieval: both sides are asked for the same sentences. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.intervals import jackknife_interval
from isogloss.backend.metrics.jackknife import no_nearer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

ONE_SENTENCE = 1.0
"""Trials that a sentence is worth at most: one that is hard is found in no language."""


def difference_of_found(
    difference: ArrayLike, values: tuple[ArrayLike, ArrayLike], parts: tuple[ArrayLike, ArrayLike], n: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the 95% interval of differences `[…]` between two shares of sentences that are found, first − second.

    `values` `[…]` are both shares, or means of them over pairs of languages; `parts` `[…, sentences]` what each sentence adds
    to each, less the mean: they sum to 0. `n` of the sentences were asked for; others have nothing in both parts.
    An end is no nearer than those of both sides put it (`no_nearer`), each as `jackknife_interval` has it.
    The error of a mean over n sentences is √(n / (n − 1) · Σ parts²), which is its delete-one jackknife's; of a difference the
    parts are subtracted first, as in `difference_interval`. Where not one part differs, that would be no width at all:
    it is then as of Agresti & Min 2005, who add a half to each cell of the table of found and not found: 1 / (n + 2).
    """
    first, second = (np.asarray(each, np.float64) for each in parts)
    amount = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = amount / (amount - 1)
        errors = [np.sqrt(factor * np.square(each).sum(axis=-1)) for each in (first, second)]
        apart = np.square(first - second).sum(axis=-1)
    alike = apart <= 1e-14 / np.square(amount)  # rounding alone
    paired = np.where(alike, 1 / (amount + 2), np.sqrt(factor * apart))
    sides = [
        (share, *jackknife_interval(share, error, amount, ONE_SENTENCE)) for share, error in zip(values, errors, strict=True)
    ]
    low, high = no_nearer(difference, sides[0], sides[1], (errors[0], errors[1], paired), amount)
    return np.clip(low, -1, 1), np.clip(high, -1, 1)
