"""Matrices of languages, or values a language, under permuted languages, on the cells that the other side has.

Whatever is missing, and whether or not a matrix is symmetric: `whole_matrices` is for those that lack nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

CHUNK = 2_000_000
"""Numbers that are permuted at a time."""


def permuted(
    values: NDArray[np.float64], given: NDArray[np.intp], cells: tuple[NDArray[np.intp], ...], pairs: bool
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_] | None]]:
    """The `cells` of `values` under each order, 0 where unknown, and which are known (None for all): [orders, cells] each.

    Some orders at a time.
    """
    stack, step = stacked(values, pairs), max(1, CHUNK // max(len(cells[0]), 1))
    finite = np.isfinite(stack)
    filled = np.where(finite, stack, 0.0)
    inner = np.eye(stack.shape[-1], dtype=bool) if pairs else np.zeros(stack.shape[-1], dtype=bool)
    complete = bool((finite | inner).all()) and (not pairs or bool((cells[1] != cells[2]).all()) or bool(finite.all()))
    flat, masks = filled.reshape(-1), finite.reshape(-1)
    key = tuple(each.tobytes() for each in cells)
    for start in range(0, len(given), step):
        some = given[start : start + step]
        at = _places(some.tobytes(), len(some), stack.shape[-1], key)
        yield flat.take(at), None if complete else masks.take(at)


@lru_cache(maxsize=4)
def _places(given: bytes, amount: int, n: int, cells: tuple[bytes, ...]) -> NDArray[np.intp]:
    """Return where in a flat stack each cell's value comes from under each order [orders, cells].

    Kept, since one set of languages is asked about again and again: 10 MB for 999 orders of 36 languages.
    """
    some = np.frombuffer(given, np.intp).reshape(amount, n)
    first, *languages = (np.frombuffer(each, np.intp) for each in cells)
    return flat((first, *(some[:, each] for each in languages)), n)


def flat(cells: tuple[NDArray[np.intp], ...], n: int) -> NDArray[np.intp]:
    """Return where `cells` of a stack lie in it as one row."""
    first, *languages = cells
    for each in languages:
        first = first * n + each
    return first


def cells(known: NDArray[np.bool_], pairs: bool, symmetric: bool) -> tuple[NDArray[np.intp], ...]:
    """Return where `known` is True, as places along the stack and along the languages; of a symmetric matrix one half."""
    every = stacked(known, pairs)
    return np.nonzero(np.triu(every) if symmetric else every)


def stacked(values: NDArray[Any], pairs: bool) -> NDArray[Any]:
    """`values` with all axes before those of the languages made one."""
    return values.reshape(-1, *values.shape[-2 if pairs else -1 :])


def without_diagonal(values: NDArray[np.float64], beside: NDArray[np.float64], pairs: bool) -> NDArray[np.float64]:
    """`values` without its diagonal where a matrix `beside` it has none: a diagonal stays one under every permutation."""
    if not pairs:
        return values
    inner = np.eye(values.shape[-1], dtype=bool)
    empty = any(not np.isfinite(each[..., inner]).any() for each in beside)
    return np.where(inner, np.nan, values) if empty else values


def symmetric(values: NDArray[np.float64], pairs: bool) -> bool:
    """Whether each matrix of `values` is the same transposed: bit by bit, for nan is then as good as a number."""
    bits = values.view(np.int64)
    return pairs and np.array_equal(bits, np.swapaxes(bits, -1, -2))
