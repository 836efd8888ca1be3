"""Pairs' scores as arrays in memory, for what ranks every pair at every checkpoint whenever a language or layer changes.

DuckDB takes 60 to 90 ms to group the 960,000 rows of 39 checkpoints by pair, and the same again for each selection. A file's
values as one array are 130 kB (36 languages, 13 layers), read once, and their means over layers take 4 ms for all checkpoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

METRICS = ("abx_language", "abx_meaning")
COLUMNS = ["metric", "checkpoint", "layer", "source", "target", "value"]

Pair = tuple[str, str]


@dataclass(frozen=True)
class PairMeans:
    """Each pair's scores at each checkpoint, mean over layers: shares of triplets, nan where a pair has none."""

    checkpoints: tuple[str, ...]
    pairs: tuple[Pair, ...]
    language: NDArray[np.float64]
    """[checkpoints, pairs]"""
    meaning: NDArray[np.float64]
    """[checkpoints, pairs]"""


@dataclass(frozen=True)
class _Scores:
    """What one file holds: it is one shard, so of one checkpoint."""

    checkpoint: str
    layers: NDArray[np.int64]
    pairs: tuple[Pair, ...]
    values: NDArray[np.float64]
    """[metrics, layers, pairs], nan where the file has no such row"""


def pair_means(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    wanted: Sequence[Pair] | None = None,
) -> PairMeans:
    """Return the columns `language` and `meaning` of `abx_queries.pairs`, from arrays kept in memory; the same numbers.

    `wanted` are the pairs of these languages, None for all of them.

    Checkpoints that have no score at these layers are left out, as a query leaves them out.
    Raises `StoreError` where a file is damaged.
    """
    read = [_scores(path, path.stat().st_mtime_ns) for path in files]
    kept = [each for each in read if each.checkpoint in set(checkpoints)]
    chosen, some = set(languages), None if wanted is None else set(wanted)
    listed = dict.fromkeys(each.pairs for each in kept)  # nearly always one: files of a run list the same pairs
    pairs = tuple(
        dict.fromkeys(pair for own in listed for pair in own if chosen.issuperset(pair) and (some is None or pair in some))
    )
    means = np.full((len(METRICS), len(kept), len(pairs)), np.nan)
    places = {own: _places(own, pairs) for own in listed}
    for row, each in enumerate(kept):
        into, column = places[each.pairs]
        means[:, row, into] = _mean(each.values[:, np.isin(each.layers, layers)])[:, column]
    known = ~np.isnan(means).all(axis=(0, 2))
    names = tuple(each.checkpoint for each, any_score in zip(kept, known, strict=True) if any_score)
    return PairMeans(names, pairs, means[0, known], means[1, known])


def _places(own: tuple[Pair, ...], wanted: tuple[Pair, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which of the wanted pairs a file has, and in which of its columns."""
    columns = {pair: column for column, pair in enumerate(own)}
    found = [(place, columns[pair]) for place, pair in enumerate(wanted) if pair in columns]
    into, column = np.array(found, np.int64).reshape(-1, 2).T
    return into, column


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the layers (axis 1) that have a value; nan where none has."""
    total: NDArray[np.float64] = values.sum(axis=1)
    count = np.full(total.shape, values.shape[1])
    if np.isnan(total).any():  # seldom, and looking for each takes three times as long
        known = ~np.isnan(values)
        total, count = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    means = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means


@lru_cache(maxsize=512)
def _scores(path: Path, _modified: int) -> _Scores:
    """Read one file; `_modified` tells one computed again from the first.

    512 of them are 70 MB for 36 languages at 13 layers, 0.9 GB for 128 languages.
    """
    table = parquet.read(path, COLUMNS)
    table = table.filter(pc.is_in(table["metric"], pa.array(METRICS)))
    metric = pc.index_in(table["metric"], pa.array(METRICS)).to_numpy()
    layers, layer = np.unique(table["layer"].to_numpy(), return_inverse=True)
    sources, source = _codes(table["source"])
    targets, target = _codes(table["target"])
    each, pair = np.unique(source * max(len(targets), 1) + target, return_inverse=True)
    values = np.full((len(METRICS), len(layers), len(each)), np.nan)
    values[metric, layer, pair] = table["value"].to_numpy()
    pairs = tuple((sources[code // len(targets)], targets[code % len(targets)]) for code in each.tolist())
    return _Scores(table["checkpoint"][0].as_py() if len(table) else "", layers.astype(np.int64), pairs, values)


def _codes(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """Return a text column as its distinct texts and, a row each, which of them."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
