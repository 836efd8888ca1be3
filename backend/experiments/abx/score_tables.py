"""A file of ABX scores as arrays in memory: read once, and as long as it is not computed again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet
from backend.errors import StoreError
from backend.metrics.intervals import normal_as_jackknife
from backend.store import older

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

METRICS = ("abx_language", "abx_meaning")
ROWS = ["metric", "checkpoint", "layer", "source", "target"]
FIELDS = ("value", "low", "high", "n")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Scores:
    """What one file holds: it is one shard, so of one checkpoint."""

    checkpoint: str
    layers: NDArray[np.int64]
    pairs: tuple[Pair, ...]
    values: NDArray[np.float64]
    """[metrics, layers, pairs], nan where the file has no such row"""


@dataclass(frozen=True)
class Table:
    """All that is drawn of one file's scores."""

    checkpoint: str
    metrics: tuple[str, ...]
    layers: NDArray[np.int64]
    pairs: tuple[Pair, ...]
    fields: tuple[NDArray[np.float64], ...]
    """Of `FIELDS`, each [metrics, layers, pairs], nan where it is unknown."""
    complete: tuple[bool, ...]
    """Which of them are known throughout: their sums are one product."""


def scores_of(path: Path) -> Scores:
    """Return the language and meaning discrimination that a file holds. Raises `StoreError` where it is gone or damaged."""
    return _scores(path, _modified(path))


def tables(files: Sequence[Path], checkpoints: Sequence[str]) -> list[Table]:
    """Return all that the files of these checkpoints hold. Raises `StoreError` where one is gone or damaged."""
    read = [_table(path, _modified(path)) for path in files]
    return [each for each in read if each.checkpoint in set(checkpoints)]


def _modified(path: Path) -> int:
    """Return when a file was published. Raises `StoreError` where it cannot be asked."""
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise StoreError(f"The scores {path.name} cannot be read ({error.strerror}). Reload the page.") from error


@lru_cache(maxsize=512)
def _scores(path: Path, _modified: int) -> Scores:
    """Read one file; `_modified` tells one computed again from the first.

    512 of them are 70 MB for 36 languages at 13 layers, 0.9 GB for 128 languages.
    """
    checkpoint, layers, pairs, (values,) = _read(path, METRICS, FIELDS[:1])
    return Scores(checkpoint, layers, pairs, values)


@lru_cache(maxsize=128)
def _table(path: Path, _modified: int) -> Table:
    """Read all of one file. 128 of them are 100 MB for 36 languages at 13 layers and three measures."""
    metrics = tuple(sorted(set(parquet.read(path, ["metric"])["metric"].unique().to_pylist())))
    checkpoint, layers, pairs, fields = _read(path, metrics, FIELDS)
    if older.is_older(path):
        some = np.isin(metrics, older.METRICS)
        value, low, high, n = (field[some] for field in fields)
        fields[1][some], fields[2][some] = normal_as_jackknife(value, low, high, n)
    return Table(checkpoint, metrics, layers, pairs, tuple(fields), tuple(not np.isnan(each).any() for each in fields))


def _read(
    path: Path, metrics: Sequence[str], fields: Sequence[str]
) -> tuple[str, NDArray[np.int64], tuple[Pair, ...], list[NDArray[np.float64]]]:
    """Return a file's checkpoint, layers and pairs, and each of `fields` as `[metrics, layers, pairs]`."""
    table = parquet.read(path, [*ROWS, *fields])
    table = table.filter(pc.is_in(table["metric"], pa.array(metrics, pa.string())))
    metric = pc.index_in(table["metric"], pa.array(metrics, pa.string())).to_numpy()
    layers, layer = np.unique(table["layer"].to_numpy(), return_inverse=True)
    sources, source = _codes(table["source"])
    targets, target = _codes(table["target"])
    each, pair = np.unique(source * max(len(targets), 1) + target, return_inverse=True)
    pairs = tuple((sources[code // len(targets)], targets[code % len(targets)]) for code in each.tolist())
    found = []
    for name in fields:
        values = np.full((len(metrics), len(layers), len(each)), np.nan)
        values[metric, layer, pair] = table[name].to_numpy()
        found.append(values)
    return table["checkpoint"][0].as_py() if len(table) else "", layers.astype(np.int64), pairs, found


def _codes(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """Return a text column as its distinct texts and, a row each, which of them."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
