"""p-values from permuting languages, since pairs of languages share languages and are not independent.

The quadratic assignment procedure (QAP; Mantel 1967, Krackhardt 1988): the rows and columns of one matrix are permuted
together, as if its languages had been given other names; the pairs are never permuted by themselves. Values a language each are
permuted as they are. Where there is a stack (a matrix a checkpoint, or a layer), all of it is permuted alike.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

PERMUTATIONS = 999
"""How many random ones are compared with what was observed."""
MANY = 199
"""Permutations where a figure holds hundreds of correlations."""
CHUNK = 2_000_000
"""Numbers that are permuted at a time."""
LEAST = 3
"""Numbers that a correlation needs to be compared."""
ROUNDING = 1e-9
"""Statistics that differ by less are equal: the same sum in another order."""


@dataclass(frozen=True)
class Permuted:
    """A statistic beside those of permuted languages: `p` is the two-sided share that are as far from 0, itself among them.

    nan where it is not defined. `amount` is how many were compared; `exact` says that they are all there are.
    """

    value: float
    p: float
    amount: int
    exact: bool

    @property
    def is_least(self) -> bool:
        """Return whether no order but the given one reached it: no correlation, however strong, could have a smaller p."""
        return self.p * self.amount < 2  # more than half of the orders are defined


@dataclass(frozen=True)
class ManyPermuted:
    """`Permuted` of many outcomes at once: arrays [outcomes]."""

    value: NDArray[np.float64]
    p: NDArray[np.float64]
    amount: int
    exact: bool


@lru_cache(maxsize=64)
def orders(n: int, amount: int = PERMUTATIONS, seed: int = 0) -> tuple[NDArray[np.intp], bool]:
    """Orders of n languages [orders, n], the given one first, and whether they are all: where there are no more than `amount`.

    Otherwise `amount` random ones by `seed` beside the given one.
    """
    if n == 0:
        return np.zeros((1, 0), np.intp), True
    if n <= 12 and math.factorial(n) <= max(amount, 1):
        return np.array(list(itertools.permutations(range(n))), np.intp).reshape(-1, n), True
    random = np.random.default_rng(seed)
    shuffled = random.permuted(np.broadcast_to(np.arange(n), (amount, n)), axis=1)
    return np.vstack([np.arange(n), shuffled]), False


def correlation(
    x: ArrayLike, y: ArrayLike, *, pairs: bool, ranks: bool = False, amount: int = PERMUTATIONS, seed: int = 0
) -> Permuted:
    """Pearson's correlation of x with y and its p from permuting the languages of x (for pairs: Mantel's test).

    x and y are [languages] or, with `pairs`, [languages, languages]; with further axes before them for a stack. Cells that lack
    either number are left out, again under each permutation. `ranks` correlates the ranks of all that x and y have each (where
    nothing is missing: Spearman's correlation). Raises ValueError where the two differ in shape.
    """
    found = correlations(x, np.asarray(y, np.float64)[None], pairs=pairs, ranks=ranks, amount=amount, seed=seed)
    return Permuted(float(found.value[0]), float(found.p[0]), found.amount, found.exact)


def correlations(
    x: ArrayLike, outcomes: ArrayLike, *, pairs: bool, ranks: bool = False, amount: int = PERMUTATIONS, seed: int = 0
) -> ManyPermuted:
    """`correlation` of x with each of `outcomes` [outcomes, …], by the same permutations of x."""
    a, many = np.asarray(x, np.float64), np.asarray(outcomes, np.float64)
    if many.shape[1:] != a.shape or a.ndim < 1 + pairs:
        raise ValueError(f"Permuting languages needs as many on both sides, not shapes {a.shape} and {many.shape[1:]}.")
    if not a.shape[-1]:  # no language is left to permute
        return ManyPermuted(np.full(len(many), np.nan), np.full(len(many), np.nan), 1, True)
    a, many = np.where(np.isfinite(a), a, np.nan), np.where(np.isfinite(many), many, np.nan)
    a = _without_diagonal(a, many, pairs)
    cells = _cells(np.asarray(np.isfinite(many).any(axis=0)), pairs, _symmetric(a, pairs) and _symmetric(many, pairs))
    b = many.reshape(len(many), -1).take(_flat(cells, a.shape[-1]), axis=1)
    if ranks:
        a, b = _ranks(a.reshape(1, -1)).reshape(a.shape), _ranks(b)
    given, exact = orders(a.shape[-1], amount, seed)
    a, b = standard(a.reshape(1, -1)).reshape(a.shape), standard(b)
    found = np.concatenate([_correlated(values, known, b) for values, known in _permuted(a, given, cells, pairs)])
    return ManyPermuted(found[0], share(found), len(given), exact)


def regression(outcome: ArrayLike, predictors: Mapping[str, ArrayLike], *, pairs: bool) -> dict[str, Permuted]:
    """Return the t of each predictor in a least-squares regression, with its p by MRQAP with double semi-partialling.

    What the other predictors leave of the predictor is permuted and put in its place, and its t compared (Dekker, Krackhardt &
    Snijders 2007); for values a language each, the same with plain permutations. Shapes and missing cells as in `correlation`.
    """
    y = np.asarray(outcome, np.float64)
    columns = {name: np.asarray(values, np.float64) for name, values in predictors.items()}
    if any(values.shape != y.shape for values in columns.values()):
        raise ValueError("Permuting languages needs outcome and predictors of one shape.")
    everything = np.stack([y, *columns.values()])
    everything = np.where(np.isfinite(everything), everything, np.nan)
    columns = {name: _without_diagonal(values, everything, pairs) for name, values in columns.items()}
    symmetric = _symmetric(everything, pairs)
    given, exact = orders(y.shape[-1], PERMUTATIONS, 0)
    by_predictor = {}
    for name, values in columns.items():
        others = [column for other, column in columns.items() if other != name]
        t = _slopes(y, values, others, given, pairs, symmetric)
        by_predictor[name] = Permuted(float(t[0]), float(share(t[:, None])[0]), len(given), exact)
    return by_predictor


def _slopes(
    y: NDArray[np.float64],
    x: NDArray[np.float64],
    others: list[NDArray[np.float64]],
    given: NDArray[np.intp],
    pairs: bool,
    symmetric: bool,
) -> NDArray[np.float64]:
    """Return the t [orders] of what `others` leave of x, permuted, in the regression of y on it and `others`."""
    known = np.isfinite(np.stack([x, *others])).all(axis=0)
    design = np.column_stack([np.ones(int(known.sum())), *(each[known] for each in others)])
    left = np.full(x.shape, np.nan)
    left[known] = x[known] - design @ np.linalg.lstsq(design, x[known], rcond=None)[0]
    cells = _cells(np.asarray(np.isfinite(np.stack([y, *others])).all(axis=0)), pairs, symmetric)
    columns = [standard(_stacked(each, pairs)[cells][None])[0] for each in (*others, y)]
    table = np.column_stack([np.ones(len(columns[0])), *columns])  # intercept, the others, the outcome
    if not len(table) or not known.any():
        return np.full(len(given), np.nan)
    scaled = left / (float(left[known].std()) or 1.0)
    permuted = _permuted(_without_diagonal(scaled, y[None], pairs), given, cells, pairs)
    return np.concatenate([_t(values, mask, table) for values, mask in permuted])


def _t(e: NDArray[np.float64], known: NDArray[np.bool_] | None, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the t of each row of `e` [orders, cells] in the regression of the last column of `table` on it and the others."""
    size = table.shape[1]
    if known is None:
        base = np.linalg.qr(table[:, :-1])[0]
        left = table[:, -1] - base @ (base.T @ table[:, -1])
        total = np.einsum("mc,mc->m", e, e) - np.square(e @ base).sum(axis=1)
        cross, rest = e @ left, np.full(len(e), float(left @ left))
        count = np.full(len(e), float(len(table)))
    else:
        weight = known.astype(np.float64)
        products = (table[:, :, None] * table[:, None, :]).reshape(len(table), size * size)
        moments = (weight @ products).reshape(-1, size, size)
        inner, outer = moments[:, :-1, :-1], np.stack([e @ table[:, :-1], moments[:, :-1, -1]], axis=2)
        explained = np.einsum("mij,mik->mjk", outer, np.linalg.pinv(inner, hermitian=True) @ outer)
        total = np.einsum("mc,mc->m", e, e) - explained[:, 0, 0]
        cross, rest = e @ table[:, -1] - explained[:, 0, 1], moments[:, -1, -1] - explained[:, 1, 1]
        count = weight.sum(axis=1)
    free = count - size
    with np.errstate(invalid="ignore", divide="ignore"):
        r2 = np.clip(cross**2 / (total * rest), 0.0, 1.0)
        t = np.sign(cross) * np.sqrt(r2 * free / (1 - r2))
    defined = (free > 0) & (total > 1e-10 * count) & (rest > 1e-12 * count)
    return np.where(defined, t, np.nan)


def _correlated(a: NDArray[np.float64], known: NDArray[np.bool_] | None, outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's correlation of each row of `a` [orders, cells] with each of `outcomes` [outcomes, cells]."""
    has = np.isfinite(outcomes)
    b, right = np.where(has, outcomes, 0.0), has.astype(np.float64)
    squares = np.einsum("mc,mc->m", a, a)[:, None] if has.all() else np.square(a) @ right.T
    x = a.sum(axis=1)[:, None] if has.all() else a @ right.T
    if known is None:
        n, y, other = right.sum(axis=1)[None], b.sum(axis=1)[None], np.square(b).sum(axis=1)[None]
    else:
        left = known.astype(np.float64)
        n, y, other = left @ right.T, left @ b.T, left @ np.square(b).T
    with np.errstate(invalid="ignore", divide="ignore"):
        own, other = squares - x**2 / n, other - y**2 / n
        found = np.clip((a @ b.T - x * y / n) / np.sqrt(own * other), -1.0, 1.0)
    return np.where((n >= LEAST) & (own > 1e-12 * n) & (other > 1e-12 * n), found, np.nan)


def share(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, of [orders, outcomes], how many are as far from 0 as the first order's: a share of those that are defined."""
    size = np.abs(statistics)
    observed = size[0]
    defined = np.isfinite(size)
    reached = (size >= observed - ROUNDING * (1 + observed)) & defined
    with np.errstate(invalid="ignore"):
        share: NDArray[np.float64] = np.where(np.isfinite(observed), reached.sum(axis=0) / defined.sum(axis=0), np.nan)
    return share


def _permuted(
    values: NDArray[np.float64], given: NDArray[np.intp], cells: tuple[NDArray[np.intp], ...], pairs: bool
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_] | None]]:
    """The `cells` of `values` under each order, 0 where unknown, and which are known (None for all): [orders, cells] each.

    Some orders at a time.
    """
    stack, step = _stacked(values, pairs), max(1, CHUNK // max(len(cells[0]), 1))
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
    return _flat((first, *(some[:, each] for each in languages)), n)


def _flat(cells: tuple[NDArray[np.intp], ...], n: int) -> NDArray[np.intp]:
    """Return where `cells` of a stack lie in it as one row."""
    first, *languages = cells
    for each in languages:
        first = first * n + each
    return first


def _cells(known: NDArray[np.bool_], pairs: bool, symmetric: bool) -> tuple[NDArray[np.intp], ...]:
    """Return where `known` is True, as places along the stack and along the languages; of a symmetric matrix one half."""
    stacked = _stacked(known, pairs)
    if symmetric:
        stacked = np.triu(stacked)
    return np.nonzero(stacked)


def _stacked(values: NDArray[Any], pairs: bool) -> NDArray[Any]:
    """`values` with all axes before those of the languages made one."""
    return values.reshape(-1, *values.shape[-2 if pairs else -1 :])


def _without_diagonal(values: NDArray[np.float64], beside: NDArray[np.float64], pairs: bool) -> NDArray[np.float64]:
    """`values` without its diagonal where a matrix `beside` it has none: a diagonal stays one under every permutation."""
    if not pairs:
        return values
    inner = np.eye(values.shape[-1], dtype=bool)
    empty = any(not np.isfinite(each[..., inner]).any() for each in beside)
    return np.where(inner, np.nan, values) if empty else values


def _symmetric(values: NDArray[np.float64], pairs: bool) -> bool:
    """Whether each matrix of `values` is the same transposed: bit by bit, for nan is then as good as a number."""
    bits = values.view(np.int64)
    return pairs and np.array_equal(bits, np.swapaxes(bits, -1, -2))


def standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows [rows, cells] in standard deviations from their means; 0 where one does not vary, nan where unknown."""
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    filled = np.where(known, values, 0.0)
    moved = np.where(known, values - filled.sum(axis=1, keepdims=True) / count, 0.0)
    spread = np.sqrt(np.square(moved).sum(axis=1, keepdims=True) / count)
    varies = spread > 1e-13 * np.abs(filled).max(axis=1, keepdims=True, initial=0.0)
    return np.where(known, np.where(varies, moved / np.where(varies, spread, 1.0), 0.0), np.nan)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks within each row [rows, cells], tied values at their mean rank; nan stays nan."""
    known = np.isfinite(values)
    return np.where(known, stats.rankdata(np.where(known, values, np.inf), axis=1), np.nan)
