"""Correlations of many matrices of languages, each with one of its own, whose languages are permuted alike.

The same numbers as `permutation.correlation` of each, two at a time: a heatmap or a curve asks for hundreds at once.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.orders import PERMUTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

THREADS = 2
"""Gathering and multiplying let other threads run."""


def of_each(
    both: Iterable[tuple[Floats, Floats]],
    *,
    pairs: bool = True,
    ranks: bool = False,
    amount: int = PERMUTATIONS,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Return the correlation [amount of them] of each two arrays, and its p from permuting the languages of the first.

    `permutation.correlation` says what they are and what the options do; sizes may differ from one to the next. Raises
    ValueError where the two of one have not one shape.
    """

    def one(of: tuple[Floats, Floats]) -> tuple[float, float]:
        found = permutation.correlation(*of, pairs=pairs, ranks=ranks, amount=amount, seed=seed)
        return found.value, found.p

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(one, both))
    value, p = np.array(found, np.float64).reshape(-1, 2).T
    return value, p
