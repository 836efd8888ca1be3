"""Sums of a file's scores over its pairs of languages, kept beside it: a mean is drawn without a pair being read.

`scores/<family>/sums/<shard>.parquet`, written with the shard, or by whoever reads an older one first. It says which file it is
of (size and time of publication): one that does not fit is not believed, and made again. Of 204 languages, 33 layers and three
measures a file has 57 MB and its sums half of one.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.errors import StoreError
from isogloss.backend.settings import DEMO
from isogloss.backend.store.cube import Cube, Pairs, read_whole, size_of, state_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]

FOLDER, VERSION = "sums", 1
"""Beside the shards; raised where the sums, or how a file is read, change."""
WORTH = 1 << 18
"""Bytes of a file from which on its sums are kept: what is smaller is read as fast."""
ENDS = ("value", "low", "high")
EXTREMES = ("n", "least", "greatest")
LIMIT = 128 << 20
"""Bytes of sums in memory: 128 files of 204 languages at 33 layers and three measures."""
COLUMNS = [*(f"{kind}_{name}" for kind in ("total", "count") for name in ENDS), *EXTREMES]
IDENTITY = ("run", "experiment", "checkpoint", "corpus", "variant", "seed", "created")
"""Of a cube: what it is of."""

_KEPT: ByteCache[tuple[Cube, ...] | None] = ByteCache(LIMIT, lambda kept: size_of(kept or ()))


def of_file(path: Path) -> tuple[Cube, ...] | None:
    """Return the sums of a file over all its pairs, a cube a series as `cubes` gives them; None of a small file.

    `total` and `count` [3 (`ENDS`), metrics, layers], `n`, `least` and `greatest` [metrics, layers] are over all pairs;
    `language_total` and `language_count` [3, metrics, layers, languages] over those of each language of `pairs.names`, and of
    the pairs these names alone are there. Raises as `cubes` does.
    """
    state = state_of(path)
    return _KEPT.get(state, lambda: _read(path, state)) if state[2] >= WORTH else None


def keep(path: Path) -> None:
    """Write the sums of a file that was just published, where it is worth it; nothing where they cannot be written."""
    with suppress(StoreError):
        if (state := state_of(path))[2] >= WORTH:
            _make(path, state)


def _place(path: Path) -> Path:
    return path.parent / FOLDER / path.name


def _read(path: Path, state: tuple[Path, int, int]) -> tuple[Cube, ...]:
    place = _place(path)
    try:
        said = parquet.metadata(place)
        if said.get("of") == _said_of(state):
            return _cubes(parquet.read(place), said["series"], state)
    except (OSError, StoreError, KeyError, TypeError, ValueError):
        pass  # not there, damaged or of another version: it is made again
    return _make(path, state)


def _said_of(state: tuple[Path, int, int]) -> list[int]:
    return [VERSION, *state[1:]]


def _make(path: Path, state: tuple[Path, int, int]) -> tuple[Cube, ...]:
    made = tuple(_summed(cube, place, state) for place, cube in enumerate(read_whole(path)))
    if path.parents[2].resolve() != DEMO and state_of(path) == state:
        with suppress(StoreError):  # a disk that is full, a workspace that is only looked at: it is as slow as before
            said = {"of": _said_of(state), "series": [_said_of_series(cube) for cube in made]}
            parquet.write(_place(path), _table(made), said, numbers=COLUMNS)
    return made


def _summed(cube: Cube, place: int, state: tuple[Path, int, int]) -> Cube:
    names = cube.pairs.names
    by_language = {f"language_{name}": field for name, field in by_language_of(cube, names, None).items()}
    return replace(cube, key=(state, "sums", place), pairs=_only(names), fields=over_pairs(cube, names, None) | by_language)


def _only(names: tuple[str, ...]) -> Pairs:
    """Return languages without their pairs."""
    none = np.zeros(0, np.intp)
    return Pairs(names, none, none)


def over_pairs(cube: Cube, languages: Collection[str], pairs: Collection[tuple[str, str]] | None) -> dict[str, Floats]:
    """Return sums over the pairs among `languages`, of the wanted ones: `total` and `count` [3 (`ENDS`), metrics, layers].

    Besides, the least number of sentences `n`, and the `least` and `greatest` value [metrics, layers].
    """
    some = cube.pairs.among(list(languages), None if pairs is None else list(pairs))
    of_pairs = {name: field[:, :, some] for name, field in cube.fields.items()}
    extremes = {
        name: np.fmin.reduce(of_pairs[field], axis=2, initial=np.inf) for name, field in (("n", "n"), ("least", "value"))
    }
    return {
        "total": np.stack([np.nansum(of_pairs[name], axis=2) for name in ENDS]),
        "count": np.stack([np.isfinite(of_pairs[name]).sum(axis=2, dtype=np.float64) for name in ENDS]),
        "greatest": np.fmax.reduce(of_pairs["value"], axis=2, initial=-np.inf),
    } | extremes


def by_language_of(cube: Cube, languages: tuple[str, ...], pairs: frozenset[tuple[str, str]] | None) -> dict[str, Floats]:
    """Return the sums over the pairs of each of `languages`, which are sorted: `total` and `count` with one axis more."""
    ends = _ends_of(cube.pairs, languages, pairs)
    shape = (*cube.fields["value"].shape[:2], len(languages))
    total, count = [], []
    for name in ENDS:
        values = cube.fields[name].reshape(-1, len(cube.pairs))
        sums, counts = ends @ values.T, np.broadcast_to(ends.sum(axis=1)[:, None], (len(languages), len(values)))
        if np.isnan(sums).any():  # seldom, and looking for each number takes longer than the sums
            known = np.isfinite(values)
            sums, counts = ends @ np.where(known, values, 0.0).T, ends @ known.astype(np.float64).T
        total.append(sums.T.reshape(shape))
        count.append(counts.T.reshape(shape))
    return {"total": np.stack(total), "count": np.stack(count)}


@lru_cache(maxsize=64)
def _ends_of(of: Pairs, languages: tuple[str, ...], pairs: frozenset[tuple[str, str]] | None) -> csr_array:
    """Return which of the chosen pairs are a language's, [languages, pairs]: two of each pair are 1, all others 0."""
    from scipy.sparse import csr_array

    some = np.flatnonzero(of.among(languages, None if pairs is None else list(pairs)))
    row = np.searchsorted(languages, np.array(of.names)) if languages else np.zeros(0, np.intp)
    rows = np.concatenate([row[of.source[some]], row[of.target[some]]]) if len(some) else np.zeros(0, np.intp)
    return csr_array((np.ones(len(rows)), (rows, np.tile(some, 2))), shape=(len(languages), len(of)))


def _said_of_series(cube: Cube) -> dict[str, Any]:
    own = {name: getattr(cube, name) for name in IDENTITY}
    return own | {"metrics": cube.metrics, "layers": cube.layers.tolist(), "names": cube.pairs.names}


def _table(made: Sequence[Cube]) -> pa.Table:
    """Return the sums as rows, for each series first those over all pairs and then those of each language."""
    columns: dict[str, list[Floats]] = {name: [] for name in COLUMNS}
    for cube in made:
        for prefix in ("", "language_"):
            total, count = cube.fields[f"{prefix}total"], cube.fields[f"{prefix}count"]
            for kind, sums in (("total", total), ("count", count)):
                for name, field in zip(ENDS, sums, strict=True):
                    columns[f"{kind}_{name}"].append(field.ravel())
            for name in EXTREMES:
                columns[name].append(np.full(total[0].size, np.nan) if prefix else cube.fields[name].ravel())
    return pa.table({name: np.concatenate(parts) if parts else np.zeros(0) for name, parts in columns.items()})


def _cubes(table: pa.Table, series: Sequence[dict[str, Any]], state: tuple[Path, int, int]) -> tuple[Cube, ...]:
    """Return what `_table` was made of. Raises ValueError where the numbers of rows do not fit."""
    columns = {name: table[name].to_numpy() for name in COLUMNS}
    made, start = [], 0
    for place, said in enumerate(series):
        metrics, layers, names = tuple(said["metrics"]), np.array(said["layers"], np.int64), tuple(said["names"])
        shape = len(metrics), len(layers)
        fields: dict[str, Floats] = {}
        for prefix, shape_of_sums in (("", shape), ("language_", (*shape, len(names)))):
            rows = slice(start, start + int(np.prod(shape_of_sums)))
            start = rows.stop
            for kind in ("total", "count"):
                fields[prefix + kind] = np.stack([columns[f"{kind}_{name}"][rows].reshape(shape_of_sums) for name in ENDS])
            if not prefix:
                fields |= {name: columns[name][rows].reshape(shape) for name in EXTREMES}
        own: dict[str, Any] = {name: said[name] for name in IDENTITY}
        key = state, "sums", place
        made.append(Cube(key=key, metrics=metrics, layers=layers, pairs=_only(names), fields=fields, **own))
    if start != len(table):
        raise ValueError("the rows do not fit what is said of them")
    return tuple(made)
