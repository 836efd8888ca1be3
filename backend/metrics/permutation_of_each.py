"""Correlations of many matrices of languages, each with one of its own, whose languages are permuted alike.

The same numbers as `permutation.correlation` of each. A heatmap or a curve asks for hundreds at once, of whole symmetric
matrices: where each pair lies under each order is then found once for all of them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from isogloss.backend.metrics import permutation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AT_ONCE = 8
"""Orders whose numbers are gathered together: what they make stays in a core's own memory."""
THREADS = 2
"""Gathering and multiplying let other threads run."""


def of_each(
    both: Iterable[tuple[Floats, Floats]],
    *,
    pairs: bool = True,
    ranks: bool = False,
    amount: int = permutation.PERMUTATIONS,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Return the correlation [amount of them] of each two arrays, and its p from permuting the languages of the first.

    `permutation.correlation` says what they are and what the options do; sizes may differ from one to the next. Raises
    ValueError where the two of one have not one shape.
    """
    one = partial(_one, pairs=pairs, ranks=ranks, amount=amount, seed=seed)
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(one, both))
    value, p = np.array(found, np.float64).reshape(-1, 2).T
    return value, p


def _one(both: tuple[Floats, Floats], pairs: bool, ranks: bool, amount: int, seed: int) -> tuple[float, float]:
    x, y = both
    n = len(x)
    if not pairs or n < permutation.LEAST or x.shape != y.shape or not (_is_whole(x) and _is_whole(y)):
        found = permutation.correlation(x, y, pairs=pairs, ranks=ranks, amount=amount, seed=seed)
        return found.value, found.p
    above = np.triu_indices(n, 1)
    a, b = (stats.rankdata(each[above]) if ranks else each[above] for each in (x, y))
    a, b = permutation.standard(np.stack([a, b]))
    square = np.zeros((n, n))
    square[above] = square.T[above] = a
    flat, places = square.ravel(), _places(n, amount, seed)
    sums = np.concatenate([flat.take(places[at : at + AT_ONCE]) @ b for at in range(0, len(places), AT_ONCE)])
    statistics = np.clip(sums / len(b), -1.0, 1.0) if a.any() and b.any() else np.full(len(places), np.nan)
    return float(statistics[0]), float(permutation.share(statistics[:, None])[0])


def _is_whole(values: Floats) -> bool:
    """Return whether a matrix is symmetric to the bit, with a number for every two languages and none of one with itself."""
    known = np.isfinite(values)
    whole = values.ndim == 2 and known.sum() == known.size - len(known) and not np.diagonal(known).any()
    return bool(whole) and np.array_equal(values, values.T, equal_nan=True)


@lru_cache(maxsize=1)
def _places(n: int, amount: int, seed: int) -> NDArray[np.intp]:
    """Return where each pair of n languages lies in a flat matrix under each order [orders, pairs]: 33 MB for 204."""
    given, _ = permutation.orders(n, amount, seed)
    rows, columns = np.triu_indices(n, 1)
    places = np.empty((len(given), len(rows)), np.intp)
    for order, own in zip(given, places, strict=True):
        np.add(order[rows] * n, order[columns], out=own)
    return places
