"""The utterances of a flat corpus in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def starts_of(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where utterances of these lengths begin, and after the last where it ends, `[utterances + 1]`."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def reorder(ids: NDArray[np.int32], starts: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the utterances `ids[starts[u] : starts[u + 1]]` one after the other, for every u of `order`."""
    lengths = np.diff(starts)[order]
    ends = np.cumsum(lengths)
    shift = np.repeat(starts[:-1][order] - (ends - lengths), lengths)  # from a place in the new order to one in the old
    found: NDArray[np.int32] = ids[np.arange(len(shift)) + shift]
    return found
