"""Which points of a figure have room for their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LABELLED = 40
"""Points that have their names beside them, where these do not hide one another."""
LONGEST = 24
"""Characters of a name at most."""


def free_names(x: NDArray[np.float64], y: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which names have room above their points (in pixels): one that would lie on another's is left to the pointer."""
    half = np.array([min(len(name), LONGEST) for name in names]) * 3.4
    free = np.zeros(len(half), dtype=np.bool_)
    for place in np.argsort(-np.hypot(x - x.mean(), y - y.mean()), kind="stable"):  # what stands apart is named first
        near = free & (np.abs(y - y[place]) < 14) & (np.abs(x - x[place]) < half + half[place])
        free[place] = not near.any()
    return free
