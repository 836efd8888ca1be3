"""The features of a pair of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def pair_features(u: ArrayLike, v: ArrayLike) -> NDArray[Any]:
    """`[u; v; |u - v|; u * v]`: sentence vectors `[..., dims]` of a pair → its features `[..., 4 · dims]`.

    float16 is widened to float32 first. nan in either stays nan. Raises ValueError unless both have one shape.
    """
    first, second = np.asarray(u), np.asarray(v)
    if first.shape != second.shape or first.ndim < 1:
        raise ValueError(f"A pair needs two vectors of one shape, not {list(first.shape)} and {list(second.shape)}.")
    if first.dtype == np.float16 or second.dtype == np.float16:
        first, second = first.astype(np.float32), second.astype(np.float32)
    return np.concatenate([first, second, np.abs(first - second), first * second], axis=-1)
