"""p-values from permuting languages, since pairs of languages share languages and are not independent.

The quadratic assignment procedure (QAP; Mantel 1967, Krackhardt 1988): the rows and columns of one matrix are permuted
together, as if its languages had been given other names; the pairs are never permuted by themselves. Values a language each are
permuted as they are. Where there is a stack (a matrix a checkpoint, or a layer), all of it is permuted alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics import permuted_cells, whole_matrices
from isogloss.backend.metrics.orders import PERMUTATIONS, factors, orders
from isogloss.backend.metrics.ranks import ranks as ranks_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

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
    a = permuted_cells.without_diagonal(a, many, pairs)
    few = len(many) <= len(factors(a.shape[-1], amount, seed).left)  # of more, all orders of x are fewer to lay out
    if pairs and few and all(map(whole_matrices.is_whole, (a, many))):
        return _of_whole(a, many, ranks, amount, seed)
    symmetric = permuted_cells.symmetric(a, pairs) and permuted_cells.symmetric(many, pairs)
    cells = permuted_cells.cells(np.asarray(np.isfinite(many).any(axis=0)), pairs, symmetric)
    b = many.reshape(len(many), -1).take(permuted_cells.flat(cells, a.shape[-1]), axis=1)
    if ranks:
        a, b = ranks_of(a.reshape(1, -1)).reshape(a.shape), ranks_of(b)
    given, exact = orders(a.shape[-1], amount, seed)
    a, b = standard(a.reshape(1, -1)).reshape(a.shape), standard(b)
    found = np.concatenate([_correlated(values, known, b) for values, known in permuted_cells.permuted(a, given, cells, pairs)])
    return ManyPermuted(found[0], share(found), len(given), exact)


def _of_whole(a: NDArray[np.float64], many: NDArray[np.float64], ranks: bool, amount: int, seed: int) -> ManyPermuted:
    """Return `correlations` of matrices that lack nothing: the same orders, fewer of which are laid out."""
    n, symmetric = a.shape[-1], permuted_cells.symmetric(a, True) and permuted_cells.symmetric(many, True)
    rows = np.stack([whole_matrices.cells(each, symmetric=symmetric) for each in (a, *many)])
    return of_cells(ranks_of(rows) if ranks else rows, n, amount=amount, seed=seed, symmetric=symmetric)


def of_cells(
    rows: NDArray[np.float64], n: int, *, amount: int = PERMUTATIONS, seed: int = 0, symmetric: bool = True
) -> ManyPermuted:
    """Return `correlations` of the first of `rows` [matrices, cells] with each other: of what `whole_matrices.cells` gives."""
    x, *others = standard(rows)
    sums = whole_matrices.sums(x, others, n, amount, seed, symmetric=symmetric)
    return of_sums(sums, x, others, factors(n, amount, seed).exact)


def of_sums(
    sums: NDArray[np.float64], x: NDArray[np.float64], others: Iterable[NDArray[np.float64]], exact: bool
) -> ManyPermuted:
    """Return `correlations` by sums [orders, others] of products of `standard` numbers: x [cells] with each of `others`."""
    defined = np.array([len(x) >= LEAST and x.any() and each.any() for each in others])
    found = np.where(defined, np.clip(sums / max(len(x), 1), -1.0, 1.0), np.nan)
    return ManyPermuted(found[0], share(found), len(found), exact)


def regression(
    outcome: ArrayLike, predictors: Mapping[str, ArrayLike], *, pairs: bool, of: Collection[str] | None = None
) -> dict[str, Permuted]:
    """Return the t of each predictor, or of these alone, in a least-squares regression, with its p by MRQAP.

    That is with double semi-partialling: what the other predictors leave of the predictor is permuted and put in its place, and
    its t compared (Dekker, Krackhardt & Snijders 2007); for values a language each, the same with plain permutations. Shapes
    and missing cells as in `correlation`.
    """
    y = np.asarray(outcome, np.float64)
    columns = {name: np.asarray(values, np.float64) for name, values in predictors.items()}
    if any(values.shape != y.shape for values in columns.values()):
        raise ValueError("Permuting languages needs outcome and predictors of one shape.")
    everything = np.stack([y, *columns.values()])
    everything = np.where(np.isfinite(everything), everything, np.nan)
    columns = {name: permuted_cells.without_diagonal(values, everything, pairs) for name, values in columns.items()}
    symmetric = permuted_cells.symmetric(everything, pairs)
    exact = factors(y.shape[-1]).exact
    by_predictor = {}
    for name in columns if of is None else of:
        others = [column for other, column in columns.items() if other != name]
        t = _slopes(y, columns[name], others, pairs, symmetric)
        by_predictor[name] = Permuted(float(t[0]), float(share(t[:, None])[0]), len(t), exact)
    return by_predictor


def _slopes(
    y: NDArray[np.float64],
    x: NDArray[np.float64],
    others: list[NDArray[np.float64]],
    pairs: bool,
    symmetric: bool,
) -> NDArray[np.float64]:
    """Return the t [orders] of what `others` leave of x, permuted, in the regression of y on it and `others`."""
    known = np.isfinite(np.stack([x, *others])).all(axis=0)
    design = np.column_stack([np.ones(int(known.sum())), *(each[known] for each in others)])
    left = np.full(x.shape, np.nan)
    left[known] = x[known] - design @ np.linalg.lstsq(design, x[known], rcond=None)[0]
    cells = permuted_cells.cells(np.asarray(np.isfinite(np.stack([y, *others])).all(axis=0)), pairs, symmetric)
    columns = [standard(permuted_cells.stacked(each, pairs)[cells][None])[0] for each in (*others, y)]
    table = np.column_stack([np.ones(len(columns[0])), *columns])  # intercept, the others, the outcome
    n, given = y.shape[-1], orders(y.shape[-1])[0]
    if not len(table) or not known.any():
        return np.full(len(given), np.nan)
    scaled = permuted_cells.without_diagonal(left / (float(left[known].std()) or 1.0), y[None], pairs)
    if pairs and all(map(whole_matrices.is_whole, (scaled, y, *others))):
        e, parts = whole_matrices.cells(scaled, symmetric=symmetric), _parts(table)
        sums = whole_matrices.sums(e, list(parts.T), n, PERMUTATIONS, 0, symmetric=symmetric)
        return _t_of_sums(sums, np.full(len(sums), float(e @ e)), parts)
    return np.concatenate([_t(values, mask, table) for values, mask in permuted_cells.permuted(scaled, given, cells, pairs)])


def _parts(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a base of all but the last column of `table` [cells, columns], then what it leaves of that."""
    base = np.linalg.qr(table[:, :-1])[0]
    return np.column_stack([base, table[:, -1] - base @ (base.T @ table[:, -1])])


def _t_of_sums(sums: NDArray[np.float64], squares: NDArray[np.float64], parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the t [orders] of what has these sums of its squares [orders] and with each of `_parts` [orders, columns]."""
    left, every = parts[:, -1], np.ones(len(sums))
    total = squares - np.square(sums[:, :-1]).sum(axis=1)
    return _as_t(sums[:, -1], total, float(left @ left) * every, len(parts) * every, parts.shape[1])


def _t(e: NDArray[np.float64], known: NDArray[np.bool_] | None, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the t of each row of `e` [orders, cells] in the regression of the last column of `table` on it and the others."""
    size, squares = table.shape[1], np.einsum("mc,mc->m", e, e)
    if known is None:
        parts = _parts(table)
        return _t_of_sums(e @ parts, squares, parts)
    weight = known.astype(np.float64)
    products = (table[:, :, None] * table[:, None, :]).reshape(len(table), size * size)
    moments = (weight @ products).reshape(-1, size, size)
    inner, outer = moments[:, :-1, :-1], np.stack([e @ table[:, :-1], moments[:, :-1, -1]], axis=2)
    explained = np.einsum("mij,mik->mjk", outer, np.linalg.pinv(inner, hermitian=True) @ outer)
    cross, rest = e @ table[:, -1] - explained[:, 0, 1], moments[:, -1, -1] - explained[:, 1, 1]
    return _as_t(cross, squares - explained[:, 0, 0], rest, weight.sum(axis=1), size)


def _as_t(
    cross: NDArray[np.float64],
    total: NDArray[np.float64],
    rest: NDArray[np.float64],
    count: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    """Return t [orders] by sums of products and of squares of what is left of both sides, the cells, and the coefficients."""
    free = count - size
    with np.errstate(invalid="ignore", divide="ignore"):
        r2 = np.clip(cross**2 / (total * rest), 0.0, 1.0 - 1e-12)  # what fits but for rounding fits as well as can be
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


def standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows [rows, cells] in standard deviations from their means; 0 where one does not vary, nan where unknown."""
    known = np.isfinite(values)
    if known.all() and values.shape[1]:  # as below, without a copy for what is not known
        moved = values - values.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.square(moved).mean(axis=1, keepdims=True))
        varies = spread > 1e-13 * np.abs(values).max(axis=1, keepdims=True)
        return np.where(varies, moved / np.where(varies, spread, 1.0), 0.0)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    filled = np.where(known, values, 0.0)
    moved = np.where(known, values - filled.sum(axis=1, keepdims=True) / count, 0.0)
    spread = np.sqrt(np.square(moved).sum(axis=1, keepdims=True) / count)
    varies = spread > 1e-13 * np.abs(filled).max(axis=1, keepdims=True, initial=0.0)
    return np.where(known, np.where(varies, moved / np.where(varies, spread, 1.0), 0.0), np.nan)
