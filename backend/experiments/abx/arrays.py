"""Pairs' scores as arrays in memory, for what groups every pair at every checkpoint whenever a language or layer changes.

DuckDB takes 60 to 90 ms to group the 960,000 rows of 39 checkpoints by pair or by language, and the same again for each
selection. A file's values as one array are 130 kB (36 languages, 13 layers), read once, and their means over layers take 4 ms
for all checkpoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet
from backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

METRICS = ("abx_language", "abx_meaning")
ROWS = ["metric", "checkpoint", "layer", "source", "target"]
FIELDS = ("value", "low", "high")

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
    read = [_scores(path, _modified(path)) for path in files]
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


def by_language(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Sequence[Pair] | None = None,
) -> pd.DataFrame:
    """Return the rows of `abx_queries.by_language` of both discriminations, from arrays kept in memory; the same numbers.

    Raises `StoreError` where a file is damaged.
    """
    names, wanted = sorted(set(languages)), None if pairs is None else set(pairs)
    found: dict[str, list[NDArray[np.float64]]] = {}
    for path in files:
        value, (low, high) = _scores(path, _modified(path)), _bounds(path, _modified(path))
        if value.checkpoint in set(checkpoints):
            sides = _sides(value.pairs, tuple(names), None if wanted is None else frozenset(wanted))
            among = np.isin(value.layers, layers)
            sums = [_sums(each[:, among], sides) for each in (value.values, low, high)]
            found.setdefault(value.checkpoint, []).append(np.stack(sums))
    kept = sorted(found)
    if not kept:
        return pd.DataFrame(columns=["metric", "checkpoint", "language", *FIELDS, "pairs"])
    total, count = np.stack([np.sum(found[each], axis=0) for each in kept], axis=3).transpose(1, 0, 2, 3, 4)
    means = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=count > 0)  # [fields, metrics, checkpoints, languages]
    rows = np.nonzero(count[0])
    columns = {"metric": METRICS, "checkpoint": kept, "language": names}
    labels = {name: np.array(each, object)[place] for (name, each), place in zip(columns.items(), rows, strict=True)}
    numbers = {name: means[place][rows] for place, name in enumerate(FIELDS)}
    return pd.DataFrame(labels | numbers | {"pairs": count[0][rows].astype(np.int64)})


@lru_cache(maxsize=64)
def _sides(own: tuple[Pair, ...], languages: tuple[str, ...], wanted: frozenset[Pair] | None) -> NDArray[np.float64]:
    """Return which pairs are a language's, `[pairs, languages]`, 0 or 1: of the pairs of these languages that are wanted."""
    places = {language: place for place, language in enumerate(languages)}
    sides = np.zeros((len(own), len(languages)))
    for row, (source, target) in enumerate(own):
        if source in places and target in places and (wanted is None or (source, target) in wanted):
            sides[row, places[source]] += 1
            sides[row, places[target]] += 1
    return sides


def _sums(values: NDArray[np.float64], sides: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over layers and a language's pairs of what is known, and of how many: `[2, metrics, languages]`."""
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0).sum(axis=1) @ sides, known.sum(axis=1) @ sides])


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


def _modified(path: Path) -> int:
    """Return when a file was published. Raises `StoreError` where it cannot be asked."""
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise StoreError(f"The scores {path.name} cannot be read ({error.strerror}). Reload the page.") from error


@lru_cache(maxsize=512)
def _scores(path: Path, _modified: int) -> _Scores:
    """Read one file; `_modified` tells one computed again from the first.

    512 of them are 70 MB for 36 languages at 13 layers, 0.9 GB for 128 languages.
    """
    checkpoint, layers, pairs, (values,) = _read(path, FIELDS[:1])
    return _Scores(checkpoint, layers, pairs, values)


@lru_cache(maxsize=128)
def _bounds(path: Path, _modified: int) -> list[NDArray[np.float64]]:
    """Read the low and the high ends of one file's intervals, laid out as its values are.

    Of a fourth as many files, since they take twice the space.
    """
    return _read(path, FIELDS[1:])[-1]


def _read(path: Path, fields: Sequence[str]) -> tuple[str, NDArray[np.int64], tuple[Pair, ...], list[NDArray[np.float64]]]:
    """Return a file's checkpoint, layers and pairs, and each of `fields` as `[metrics, layers, pairs]`."""
    table = parquet.read(path, [*ROWS, *fields])
    table = table.filter(pc.is_in(table["metric"], pa.array(METRICS)))
    metric = pc.index_in(table["metric"], pa.array(METRICS)).to_numpy()
    layers, layer = np.unique(table["layer"].to_numpy(), return_inverse=True)
    sources, source = _codes(table["source"])
    targets, target = _codes(table["target"])
    each, pair = np.unique(source * max(len(targets), 1) + target, return_inverse=True)
    pairs = tuple((sources[code // len(targets)], targets[code % len(targets)]) for code in each.tolist())
    found = []
    for name in fields:
        values = np.full((len(METRICS), len(layers), len(each)), np.nan)
        values[metric, layer, pair] = table[name].to_numpy()
        found.append(values)
    return table["checkpoint"][0].as_py() if len(table) else "", layers.astype(np.int64), pairs, found


def _codes(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """Return a text column as its distinct texts and, a row each, which of them."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
