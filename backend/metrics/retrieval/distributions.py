"""Distributions of cosine similarity: histograms over fixed bins, and how far two of them overlap. No torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BINS = 100
"""Bins of a histogram: 0.02 wide."""


def bin_edges(bins: int = BINS) -> NDArray[np.float64]:
    """The bins + 1 edges, evenly from -1 to 1, that every histogram has: histograms of any two layers lie over one another."""
    return np.arange(-bins, bins + 1, 2) / bins  # unlike linspace's, 0.02 is 0.02


def histogram(cosines: ArrayLike, bins: int = BINS) -> NDArray[np.int64]:
    """Return how many cosines lie in each bin: int64 `[bins]`. A bin has its lower edge; the last has both.

    Values up to 1e-6 beyond -1 and 1 are rounding and count in the outermost bins. Raises ValueError for any farther, and nan.
    """
    values = _sample(cosines)
    if values.size and not float(np.abs(values).max()) <= 1 + 1e-6:
        raise ValueError(f"Cosines lie between -1 and 1, but there is one of {values[np.abs(values).argmax()]:.4g}.")
    counts, _ = np.histogram(values.clip(-1, 1), bin_edges(bins))
    return counts.astype(np.int64)


def overlap(a: ArrayLike, b: ArrayLike) -> float:
    """Overlap of two samples' distributions: 1 where they are the same, 0 where a threshold parts them wholly.

    It is 1 - D, D being the two-sample Kolmogorov-Smirnov statistic: the lowest sum of both error rates of any threshold. Two
    samples of n from one distribution come out at about 1 - 1.2/√n. See `docs/definitions.md`.
    The samples may have any lengths. Raises ValueError for an empty one and for nan.
    """
    first, second = np.sort(_sample(a)), np.sort(_sample(b))
    if not first.size or not second.size:
        raise ValueError("The overlap of two samples needs at least one value in each.")
    values = np.concatenate([first, second])
    below_first = np.searchsorted(first, values, side="right") / first.size
    below_second = np.searchsorted(second, values, side="right") / second.size
    return 1 - float(np.abs(below_first - below_second).max())


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, np.float64).ravel()
    if bool(np.isnan(sample).any()):
        raise ValueError("A distribution cannot have nan.")
    return sample
