"""95% intervals of the measures of geometry from their jackknife standard errors, each on a scale of its own. No torch.

Of a share Wilson's, as of ABX (`backend.metrics.intervals`); of what correlates Fisher's z; of an effective rank its logarithm;
of all else the value ± 1.96 standard errors. With each error goes its derivative there (delta method).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.backend.metrics.intervals import Z95, jackknife_interval, wilson_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

Scale = Literal["found", "share", "correlation", "ratio", "plain"]
"""`found`: a share of the sentences, each right or wrong; `share`: a mean of shares, one a sentence."""


def ends(scale: Scale, value: ArrayLike, error: ArrayLike, n: int) -> tuple[Floats, Floats]:
    """Return low and high of values over `n` sentences, of which `found` needs no error; nan where a value or an error is."""
    middle, spread = np.asarray(value, np.float64), np.asarray(error, np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        match scale:
            case "found":
                return wilson_interval(middle, n)
            case "share":
                return jackknife_interval(middle, spread, n)
            case "correlation":
                z, half = np.arctanh(np.clip(middle, -1, 1)), Z95 * spread / (1 - middle**2)
                whole = np.abs(middle) >= 1 - 1e-12
                low, high = (np.where(whole, np.clip(middle, -1, 1), np.tanh(z + way * half)) for way in (-1, 1))
            case "ratio":
                low, high = (middle * np.exp(way * Z95 * spread / middle) for way in (-1, 1))
            case "plain":
                low, high = middle - Z95 * spread, middle + Z95 * spread
    return np.where(np.isnan(spread), np.nan, low), np.where(np.isnan(spread), np.nan, high)
