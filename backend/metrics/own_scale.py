"""Scores on a scale of each row's own: when a language rises and falls, not how high it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def own_scale(values: ArrayLike) -> NDArray[np.float64]:
    """Scale each row of `[rows, columns]` to run from 0 (its least) to 1 (its greatest).

    Missing scores stay nan. A row whose known scores are all alike (or only one) has no scale, and no value: 0, 0.5 and 1 would
    each say of it what is not so. Source: de Seyssel et al. 2025, figures 8, 9 and 10.
    """
    scores = np.asarray(values, dtype=np.float64)
    known = np.isfinite(scores)
    least = np.min(scores, axis=1, keepdims=True, initial=np.inf, where=known)
    greatest = np.max(scores, axis=1, keepdims=True, initial=-np.inf, where=known)
    apart = known & (greatest > least)
    with np.errstate(invalid="ignore"):
        moved, spread = scores - least, greatest - least
    scaled: NDArray[np.float64] = np.divide(moved, spread, out=np.full(scores.shape, np.nan), where=apart)
    return scaled
