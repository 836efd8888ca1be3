"""Groups of things by how far apart each pair of them is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def clusters(distances: ArrayLike, most: int) -> NDArray[np.int64]:
    """Return the group of each thing, 1 for the largest, at most `most` of them; 0 for what has no known distance.

    Average linkage (UPGMA; Sokal & Michener 1958): the two groups whose pairs are nearest on average become one, and so on; the
    tree is cut at the height that leaves the most groups of those allowed. What is joined at one height is not parted, so equal
    distances give fewer groups. An unknown distance counts as the greatest known one. Equally large groups stand in the order
    of their first things.

    Args:
        distances: `[things, things]`, symmetric, of any sign (a constant added to all changes nothing), nan where unknown.
        most: How many groups there may be, from 1.

    Raises ValueError where `distances` are not symmetric, or `most` is below 1.
    """
    found: NDArray[np.int64] = cuts(distances, [most])[0]
    return found


def cuts(distances: ArrayLike, most: Sequence[int]) -> NDArray[np.int64]:
    """Return what `clusters` does for each of several numbers of groups, `[numbers, things]`, from one tree."""
    whole = np.asarray(distances, np.float64).copy()
    if whole.ndim != 2 or not np.allclose(whole, whole.T, rtol=0, atol=1e-9, equal_nan=True):
        raise ValueError(f"Distances must be a symmetric matrix; these are {whole.shape}.")
    if min(most) < 1:
        raise ValueError(f"There must be at least one group, not {min(most)}.")
    np.fill_diagonal(whole, np.nan)
    known = np.isfinite(whole).any(axis=1)
    found = np.zeros((len(most), len(whole)), np.int64)
    if not known.any():
        return found
    own = whole[np.ix_(known, known)]
    least, greatest = np.nanmin(own), np.nanmax(own)
    filled = np.where(np.isfinite(own), own, greatest) - least  # none below 0, as linkage has it
    np.fill_diagonal(filled, 0.0)
    tree = linkage(squareform(filled, checks=False), method="average")
    for place, number in enumerate(most):
        found[place, known] = _by_size(fcluster(tree, number, "maxclust"))
    return found


def _by_size(groups: NDArray[np.integer]) -> NDArray[np.int64]:
    _, first, number, sizes = np.unique(groups, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.int64)
    rank[np.lexsort([first, -sizes])] = np.arange(1, len(sizes) + 1)
    return rank[number]
