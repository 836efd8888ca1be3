"""Orders that languages are permuted by: all there are of few, of more random ones by a seed.

Random ones are products: each of some orders after each of some others, drawn independently and the given one among both. Every
one of them is then as likely to be any order as if it had been drawn by itself, and every two are independent, so the share of
them that reach a number has the same mean and variance. Rows and columns of the table of their numbers are exchangeable where
languages are, so the given order's place among them is any with the same chance, and p is exact. What they save: a sum over
pairs under 1,000 orders is the product of two matrices of 25 and 40 rows (`whole_matrices`).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERMUTATIONS = 999
"""How many random ones are compared with what was observed."""
MANY = 199
"""Permutations where a figure holds hundreds of correlations."""


@dataclass(frozen=True, eq=False)
class Factors:
    """Two sets of orders of n languages, the given order first in each: under `right` of one side, `left` of the other."""

    left: NDArray[np.intp]
    """[left, n]"""
    right: NDArray[np.intp]
    """[right, n]"""
    exact: bool
    """Their products are all orders there are."""


@lru_cache(maxsize=64)
def factors(n: int, amount: int = PERMUTATIONS, seed: int = 0) -> Factors:
    """Return what the orders of n languages are products of: all where there are no more than `amount`.

    Otherwise of `amount` random ones by `seed` beside the given one.
    """
    given = np.arange(n)[None]
    if n == 0 or (n <= 12 and math.factorial(n) <= max(amount, 1)):
        return Factors(np.array(list(itertools.permutations(range(n))), np.intp).reshape(-1, n), given, exact=True)
    left = next(each for each in range(math.isqrt(amount + 1), 0, -1) if (amount + 1) % each == 0)
    random = np.random.default_rng(seed)
    sizes = left, (amount + 1) // left
    some = [np.vstack([given, random.permuted(np.broadcast_to(given, (size - 1, n)), axis=1)]) for size in sizes]
    return Factors(some[0], some[1], exact=False)


@lru_cache(maxsize=64)
def orders(n: int, amount: int = PERMUTATIONS, seed: int = 0) -> tuple[NDArray[np.intp], bool]:
    """Return the orders of n languages [orders, n], the given one first, and whether they are all: see `factors`.

    What is compared is a number of a thing whose languages are renamed so, [orders, n] as places among the given ones.
    """
    found = factors(n, amount, seed)
    return products(found.left, found.right), found.exact


def products(left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return each order of `left` [left, n] after the inverse of each of `right` [right, n]: [left · right, n].

    One side under an order of `left` beside the other under one of `right` is the first under their product beside the other.
    """
    back = np.argsort(right, axis=1)
    return left[:, back].reshape(-1, left.shape[1])
