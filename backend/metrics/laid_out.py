"""A matrix of languages under each of their orders, laid out once: to be correlated with thousands of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics import whole_matrices
from isogloss.backend.metrics.orders import orders
from isogloss.backend.metrics.permutation import ManyPermuted, of_sums, standard
from isogloss.backend.metrics.ranks import ranks as ranks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LaidOut:
    """A matrix that lacks nothing, its ranks or its values, in standard deviations under each order."""

    rows: Floats
    """[orders, cells]"""
    exact: bool
    """These are all orders there are."""
    symmetric: bool
    """Each pair counts once."""
    ranks: bool


def lay_out(x: Floats, *, symmetric: bool, ranks: bool, amount: int, seed: int = 0) -> LaidOut:
    """Lay out a matrix x [n, n] that `whole_matrices.is_whole`: 33 MB for 200 orders of 204 languages."""
    n = x.shape[-1]
    numbers = whole_matrices.cells(x, symmetric=symmetric)[None]
    square, above = np.zeros(n * n), whole_matrices.above(n, symmetric)
    row, column = np.divmod(above, n)
    (square[above],) = standard(ranks_of(numbers) if ranks else numbers)
    if symmetric:
        square[column * n + row] = square[above]
    given, exact = orders(n, amount, seed)
    rows = np.empty((len(given), len(above)))
    for own, order in zip(rows, given, strict=True):
        square.take(order.take(row) * n + order.take(column), out=own, mode="clip")
    return LaidOut(rows, exact, symmetric, ranks)


def correlations(x: LaidOut, outcomes: Floats) -> ManyPermuted:
    """Return `permutation.correlations` of x with each of `outcomes` [outcomes, n, n], which lack nothing either."""
    others = np.empty((len(outcomes), x.rows.shape[1]))
    for own, each in zip(others, outcomes, strict=True):  # one at a time: its numbers stay in a core's own memory
        row = whole_matrices.cells(each, symmetric=x.symmetric)[None]
        (own[:],) = standard(ranks_of(row) if x.ranks else row)
    return of_sums(x.rows @ others.T, x.rows[0], others, x.exact)
