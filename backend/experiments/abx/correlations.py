"""How language and meaning discrimination move together over the pairs (de Seyssel et al. 2025, figures 6 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.experiments.abx.pair_means import PairMeans, pair_means
from isogloss.backend.metrics import permutation
from isogloss.backend.metrics.correlation import Correlation, pearson, spearman, with_interval
from isogloss.backend.metrics.orders import MANY
from isogloss.backend.metrics.ranks import ranks as ranks_of
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store.cube import Pairs

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.abx import queries

    Floats = NDArray[np.float64]
    Row = tuple[str, str, float, float, float, int, float]

COLUMNS = ["checkpoint", "statistic", "value", "low", "high", "n", "p"]
STATISTICS = ("Spearman", "Pearson")
THREADS = 2
"""Reading, sorting and multiplying let other threads run."""


@in_recipes
def over_checkpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per checkpoint and statistic: checkpoint, statistic, value, low, high (95%), n (pairs), p.

    p is two-sided, from permuting languages (pairs share them), as in Relations. `pairs` has the columns checkpoint, source,
    target, language, meaning (`backend.experiments.abx.queries.pairs`).
    """
    names = tuple(sorted({*pairs["source"], *pairs["target"]}))
    rows: list[Row] = []
    for checkpoint, own in pairs.groupby("checkpoint"):
        ends = (np.searchsorted(names, own[end].to_numpy(str)) for end in ("source", "target"))
        values = (own[name].to_numpy(np.float64) for name in ("language", "meaning"))
        rows += _correlated(PairMeans(None, str(checkpoint), Pairs(names, *ends), *values))
    return pd.DataFrame(rows, columns=COLUMNS)


@in_recipes
def of_files(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: queries.Pairs = None,
) -> pd.DataFrame:
    """Return the same from arrays, with the arguments of `queries.pairs`: of 40 checkpoints no frame holds every pair."""
    chosen = tuple(sorted(set(languages))), None if pairs is None else tuple(pairs)
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(partial(_of_file, checkpoints=checkpoints, layers=layers, chosen=chosen), files))
    return pd.DataFrame([row for of_file in found for row in of_file], columns=COLUMNS)


def over_pairs(pairs: pd.DataFrame, x: str, y: str) -> dict[str, float]:
    """Return the correlation of two columns over the pairs that have both, by statistic; nan where there is none."""
    across, up = pairs[x].to_numpy(), pairs[y].to_numpy()
    return {"Pearson": pearson(across, up).value, "Spearman": spearman(across, up).value}


Chosen = tuple[tuple[str, ...], tuple[tuple[str, str], ...] | None]
"""Languages, and pairs of them; None for all."""
_KEPT: ByteCache[list[Row]] = ByteCache(1 << 20, lambda _: 1 << 10)


def _of_file(path: Path, checkpoints: Sequence[str], layers: Sequence[int], chosen: Chosen) -> list[Row]:
    """Return the rows of a file's checkpoints, kept: they stay what they are whichever others are looked at."""
    rows: list[Row] = []
    for means in pair_means(path, checkpoints, layers):
        rows += _KEPT.get((means.key, chosen), lambda means=means: _correlated(means.among(*chosen)))  # type: ignore[misc]
    return rows


def _correlated(means: PairMeans) -> list[Row]:
    """Return a row for each statistic of a checkpoint that has a number."""
    return [] if means.is_empty() else [_row(means, name) for name in STATISTICS]


def _row(means: PairMeans, statistic: str) -> Row:
    ranks = statistic == "Spearman"
    n, order = _square(means.pairs)
    both = np.stack([means.language, means.meaning])
    if order is not None and np.isfinite(both).all():
        rows = both.take(order, axis=1)
        many = permutation.of_cells(ranks_of(rows) if ranks else rows, n, amount=MANY)
        found, p = with_interval(float(many.value[0]), len(order), ranks=ranks), float(many.p[0])
    else:
        found, p = (spearman if ranks else pearson)(*both), _permuted(means, ranks=ranks)
    return (means.checkpoint, statistic, *_numbers(found), p)


def _permuted(means: PairMeans, *, ranks: bool) -> float:
    """Return p from permuting the languages that have a pair with both."""
    squares = np.full((2, *(len(means.pairs.names),) * 2), np.nan)
    ends = means.pairs.source, means.pairs.target
    squares[:, *ends] = squares[:, *ends[::-1]] = means.language, means.meaning
    has = np.isfinite(squares).all(axis=0).any(axis=0)
    language, meaning = squares[:, has][:, :, has]
    return permutation.correlation(language, meaning, pairs=True, ranks=ranks, amount=MANY).p


@lru_cache(maxsize=8)
def _square(pairs: Pairs) -> tuple[int, NDArray[np.intp] | None]:
    """Return how many languages have pairs, and the pairs' order above a matrix's diagonal; None where some are not there."""
    names = np.union1d(pairs.source, pairs.target)
    ends = np.sort(np.searchsorted(names, np.stack([pairs.source, pairs.target])), axis=0)
    code = ends[0] * len(names) + ends[1]
    whole = (ends[0] < ends[1]).all() and len(np.unique(code)) == len(code) == len(names) * (len(names) - 1) // 2
    return len(names), np.argsort(code) if whole else None


def _numbers(found: Correlation) -> tuple[float, float, float, int]:
    return found.value, found.low, found.high, found.n
