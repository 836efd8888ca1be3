"""Half of a symmetric matrix: what says each of its numbers twice needs to say it once, and has room to say it larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_symmetric(values: NDArray[np.floating]) -> bool:
    """Whether a square of more than one number says each of its numbers twice; nan equals nan."""
    rows, columns = values.shape
    return rows == columns and rows > 2 and bool(np.allclose(values, values.T, rtol=0, atol=1e-6, equal_nan=True))


def upper(size: int) -> NDArray[np.bool_]:
    """Mark the cells `[size, size]` that the lower half of a symmetric matrix leaves out: its diagonal and all above."""
    return np.triu(np.ones((size, size), bool))
