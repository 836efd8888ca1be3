"""The paired interval of a difference in a measure of geometry, from what each sentence does to both sides. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.geometry.intervals import ends
from isogloss.backend.metrics.intervals import bounds_of_difference, within
from isogloss.backend.metrics.jackknife import no_nearer, standard_error
from isogloss.backend.metrics.paired import of_sentences

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.metrics.geometry.intervals import Scale
    from isogloss.backend.metrics.intervals import Bounds

    Floats = NDArray[np.float64]
    Side = tuple[ArrayLike, ArrayLike]
    """Values `[...]`, and how far those without each sentence lie from their mean, `[..., sentences]`."""

LEAST = 1e-3
"""What a sentence adds to a difference of shares at least: what is less is rounding of what is kept."""


def difference_interval(scale: Scale, first: Side, second: Side, bounds: Bounds) -> tuple[Floats, Floats, Floats]:
    """Return the 95% interval of values of the first side less those of the second: low, high, degrees of freedom.

    The delete-one values of both are subtracted before the standard error is taken (paired jackknife), and the quantile is
    Student's of n − 1; no end is nearer than both sides' own intervals on their `scale` put it (`no_nearer`). A share that is
    `found` is a mean over sentences, whose differences are as `of_sentences` has them. Cut off at what a difference of two
    values within `bounds` can be; nan of fewer than three sentences. Source: Efron & Stein 1981.
    """
    (value, away), (other, its_away) = ([np.asarray(each, np.float64) for each in side] for side in (first, second))
    n, difference = away.shape[-1], np.asarray(value - other)
    if n < 3:
        nothing = np.full(difference.shape, np.nan)
        return nothing, nothing.copy(), nothing.copy()
    if scale == "found":
        added = difference[..., None] - (n - 1) * (away - its_away)
        return of_sentences(difference, added, np.abs(added) > LEAST, bounds=bounds)
    errors = standard_error(away), standard_error(its_away), standard_error(away - its_away)
    sides = [(each, *ends(scale, each, error, n)) for each, error in zip((value, other), errors[:2], strict=True)]
    low, high = within(*no_nearer(difference, sides[0], sides[1], errors, n), bounds_of_difference(bounds))
    return low, high, np.full(difference.shape, n - 1.0)
