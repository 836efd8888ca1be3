"""Matrices of languages that lack nothing, under permuted languages: all orders at once, by a product of matrices.

Orders are products (`orders`): the sum over pairs of x under σρ⁻¹ times y is that of x under σ times y under ρ. Of 1,000 orders
25 of x and 40 of y are laid out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.orders import factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


BLOCK = 3072
"""Cells that are permuted at a time: what they make stays in a core's own memory until it is multiplied."""


def is_whole(values: Floats) -> bool:
    """Return whether each matrix [..., n, n] has a number for every two languages and none of one with itself."""
    if values.ndim < 2:
        return False
    known = np.isfinite(values)
    n = values.shape[-1]
    return int(known.sum()) == values.size - values.size // max(n, 1) and not np.diagonal(known, axis1=-2, axis2=-1).any()


def cells(values: Floats, *, symmetric: bool) -> Floats:
    """Return the numbers of whole matrices [..., n, n] as a row [cells]: of symmetric ones those above the diagonal."""
    n = values.shape[-1]
    return values.reshape(-1, n * n).take(above(n, symmetric), axis=1).ravel()


def sums(x: Floats, columns: Sequence[Floats], n: int, amount: int, seed: int, *, symmetric: bool) -> Floats:
    """Return Σ x · y of each of `columns` y [cells] under every order of the n languages of x [cells]: [orders, columns]."""
    of = factors(n, amount, seed)
    found = np.zeros((len(columns), len(of.left), len(of.right)))
    stacks = [each.reshape(-1, len(above(n, symmetric))) for each in (x, *columns)]
    for own, *others in zip(*stacks, strict=True):
        for left, right in _places(n, amount, seed, symmetric):
            permuted = own.take(left)
            for total, other in zip(found, others, strict=True):
                total += permuted @ other.take(right).T
    return found.reshape(len(columns), -1).T


@lru_cache(maxsize=4)
def above(n: int, symmetric: bool) -> NDArray[np.intp]:
    """Return where pairs lie in a flat matrix: those above the diagonal, or all of two languages."""
    every = np.ones((n, n), bool)
    return np.flatnonzero(np.triu(every, 1) if symmetric else every & ~np.eye(n, dtype=bool))


@lru_cache(maxsize=2)
def _places(n: int, amount: int, seed: int, symmetric: bool) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return which cell each cell's number comes from under each factor [left, cells], [right, cells]: some cells at a time.

    Kept: 5 MB for 200 orders of 204 languages.
    """
    pairs = above(n, symmetric)
    rows, columns = np.divmod(pairs, n)
    cell = np.zeros((n, n), np.intp)
    cell[rows, columns] = range(len(pairs))
    if symmetric:
        cell[columns, rows] = range(len(pairs))
    of = factors(n, amount, seed)
    some = [slice(at, at + BLOCK) for at in range(0, len(pairs), BLOCK)]
    ends = [(rows[own], columns[own]) for own in some]
    left, right = (
        [cell.ravel().take(each.take(row, axis=1) * n + each.take(column, axis=1)) for row, column in ends]
        for each in (of.left, of.right)
    )
    return list(zip(left, right, strict=True))
