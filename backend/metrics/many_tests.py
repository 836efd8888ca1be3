"""p-values of many tests at once. No torch: pages may import this."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust each p of a family of m tests: those below q are the tests at a false discovery rate of q (Benjamini & Hochberg).

    Of p₍₁₎ ≤ … ≤ p₍ₘ₎ the i-th is min over j ≥ i of m · p₍ⱼ₎ / j, at most 1 as p is. `p` is of any shape; nan is no test and
    stays. A family in which every test stands k times gives what it gives with each once.
    """
    values = np.asarray(p, np.float64)
    flat = values.ravel()
    order = np.argsort(flat)  # nan last
    order = order[: np.isfinite(flat).sum()]
    scaled = flat[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted = np.full(flat.shape, np.nan)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return adjusted.reshape(values.shape)
