"""Windows of training error: which fine-tuned models count at a point E' of the IGap curve.

A window is half open, `E' ≤ E_train < E' + ε`, and its edges are exact for errors that are counts over n: 3/10 lies in no
window that ends at `0.1 + 0.2`, though the float `0.1 + 0.2` is greater than the float `0.3`.
Source: Chi, Huang & Mao 2023, Eq. 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

TOLERANCE = 1e-12
"""Numbers closer than this are one number. Sums of a few float64 errors are off by less than 1e-15, while an error k/n, n up to
a million, that is not on an edge of up to five decimals lies at least 1e-11 away from it."""


def matters(train_error: ArrayLike, windows: ArrayLike, epsilon: float) -> NDArray[np.bool_]:
    """Whether a record can change the IGap at any of `windows`: its training error lies in one of them. Shape of `train_error`.

    `train_error` are shares, 0 to 1, of any shape, a single number included; `windows` are the points E' asked for, `epsilon`
    is the width of them all. Only these records need the errors of the target languages. nan, in either, matters nowhere.
    Raises ValueError as `limits` and `read_errors` do.
    """
    errors = read_errors(train_error)
    low, high = limits(np.ravel(windows), epsilon)
    return np.asarray(((errors[..., None] >= low) & (errors[..., None] < high)).any(-1))


def limits(points: ArrayLike, epsilon: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The windows [low, high) at `points`, moved down by `TOLERANCE` so that an error on an edge falls on the right side of it.

    Raises ValueError for a width that is not a positive number.
    """
    if not TOLERANCE < epsilon < np.inf:
        raise ValueError(f"The width of a window (epsilon) must be a positive number, not {epsilon}.")
    starts = np.asarray(points, np.float64)
    return starts - TOLERANCE, starts + epsilon - TOLERANCE


def read_errors(errors: ArrayLike) -> NDArray[Any]:
    """Errors as float64, or counts of errors as int64.

    Raises ValueError for narrower floats: they differ from the k/n that they stand for by more than `TOLERANCE`.
    """
    array = np.asarray(errors)
    if array.dtype == np.float64:
        return array
    if np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_:
        return array.astype(np.int64)
    raise ValueError(f"Errors must be float64 or whole counts, not {array.dtype}: divide the counts again in float64.")
