"""Scores as labelled arrays: measure × layer × pair of languages of each file, for whoever averages or compares them.

A file is read once and kept as long as `LIMIT` allows. Of a large one only the row groups are read that can hold what is asked
for: a matrix of 20,706 pairs (204 languages) costs what 20,706 pairs cost, whatever lies beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend import parquet
from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.errors import StoreError
from isogloss.backend.metrics.intervals import normal_as_jackknife
from isogloss.backend.store import older
from isogloss.backend.store.coded import distinct, laid_out, layers_of, texts_and_codes, used

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from numpy.typing import NDArray

VALUES = ("value", "n")
FIELDS = ("value", "low", "high", "n")
SERIES = ["experiment", "checkpoint", "corpus", "variant"]
TEXTS = ["metric", "source", "target", *SERIES]
COLUMNS = [*TEXTS, "layer", "seed", "created_at"]
NO_LAYER, NO_SEED = -1, -1
"""The layer, and the seed, of scores that have none."""
LIMIT = 128 << 20
"""Bytes of files kept as arrays: 160 of 36 languages at 13 layers and three measures; of 204 at 33 six measures of a file."""
AT_ONCE = 1 << 22
"""Numbers that are averaged together: of more, what is made on the way would take as much memory again."""
LARGE = 200_000
"""Rows of a file from which on parts of it are read by themselves."""

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of languages (source, target), each as the places of both in `names`."""

    names: tuple[str, ...]
    """Sorted."""
    source: NDArray[np.intp]
    """[pairs]"""
    target: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[Pair]:
        return iter(zip(*(np.array(self.names, object)[end].tolist() for end in (self.source, self.target)), strict=True))

    def languages(self, some: NDArray[np.bool_]) -> list[str]:
        """Return the languages of some of the pairs [pairs]."""
        return [self.names[place] for place in np.union1d(self.source[some], self.target[some]).tolist()]

    def places(self, names: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return where the sources and the targets [pairs] stand among `names`; 0 for what is not there."""
        place = {name: at for at, name in enumerate(names)}
        own = np.array([place.get(name, 0) for name in self.names], np.intp)
        return own[self.source], own[self.target]

    def among(self, languages: Sequence[str], wanted: Sequence[Pair] | None = None) -> NDArray[np.bool_]:
        """Return which pairs [pairs] lie among these languages and, where some are `wanted`, are one of those."""
        chosen = np.isin(np.array(self.names, object), list(languages))
        both: NDArray[np.bool_] = chosen[self.source] & chosen[self.target]
        if wanted is None:
            return both
        place = {name: at for at, name in enumerate(self.names)}
        codes = [place[a] * len(self.names) + place[b] for a, b in wanted if a in place and b in place]
        return both & np.isin(self.source * len(self.names) + self.target, codes)


@dataclass(frozen=True, eq=False)
class Cube:
    """What one file holds of one set of weights, corpus, variant and seed: measure × layer × pair."""

    key: Hashable
    """Tells it from every other, and from itself before its file was computed again."""
    run: str
    experiment: str
    checkpoint: str | None
    corpus: str | None
    variant: str | None
    seed: int | None
    created: int
    """When its newest row was computed, in microseconds."""
    metrics: tuple[str, ...]
    layers: NDArray[np.int64]
    pairs: Pairs
    fields: dict[str, NDArray[np.float64]]
    """`FIELDS`, each [metrics, layers, pairs]: nan where the file has no such row or no such number. Of one that is `reduced`
    what was made of them."""


def cubes(
    path: Path,
    *,
    layers: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    checkpoints: Sequence[str] | None = None,
    bounds: bool = True,
) -> tuple[Cube, ...]:
    """Return what a file holds of these layers, metrics and checkpoints (others may be among them), None for all: mostly one.

    Without `bounds`, of a large file `VALUES` alone are read, and not kept: who asks goes through many files.

    Raises `StoreError` where the file is gone or damaged, TypeError for what is no path: a recipe read from a file can hold
    texts, and reads nothing by them.
    """
    state = state_of(path)
    if (kept := _FILES.kept(state)) is not None:
        return kept
    groups = parquet.groups_with(*state[:2], {"layer": layers, "metric": metrics, "checkpoint": checkpoints}, LARGE)
    if groups == ():
        return ()
    if groups and not bounds:
        return _FILES.kept((state, groups)) or _read(path, state, groups, VALUES)
    return _FILES.get((state, groups) if groups else state, lambda: _read(path, state, groups))


def reduced(
    path: Path,
    name: Hashable,
    reduce: Callable[[Cube], dict[str, NDArray[np.float64]]],
    read: Callable[[Path], tuple[Cube, ...] | None] | None = None,
) -> tuple[Cube, ...]:
    """Return the `cubes` of a file with what `reduce` makes of their fields: kept under `name`, also when the file is not.

    What `read` gives is reduced instead, where it gives something. Raises as `cubes` does.
    """

    def made() -> tuple[Cube, ...]:
        given = read(path) if read else None
        return tuple(replace(cube, fields=reduce(cube)) for cube in (cubes(path) if given is None else given))

    return _REDUCED.get((state_of(path), name), made)


def read_whole(path: Path, *, seeds: bool = True) -> tuple[Cube, ...]:
    """Return all that a file holds, from memory where it is there, and do not keep it; without `seeds` what is of none alone.

    Raises as `cubes` does.
    """
    state = state_of(path)
    return _FILES.kept(state) or _read(path, state, None, seeds=seeds)


def mean_of_known(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the mean over an axis, which stays with length one, of what is known; nan where nothing is."""
    if values.size > AT_ONCE and axis % values.ndim and len(values) > 1:
        return np.concatenate([mean_of_known(values[place : place + 1], axis) for place in range(len(values))])
    known = np.isfinite(values)
    count = known.sum(axis=axis, keepdims=True)
    total = np.where(known, values, 0.0).sum(axis=axis, keepdims=True)
    mean: NDArray[np.float64] = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def state_of(path: Path) -> tuple[Path, int, int]:
    """Return what tells a file from itself before it was written again: its path, when it was published, its size.

    Raises as `cubes` does.
    """
    if not isinstance(path, Path):
        raise TypeError("Scores are read from paths alone: give what `shards` found.")
    try:
        stat = path.stat()
    except OSError as error:
        raise StoreError(f"The scores {path.name} cannot be read ({error.strerror}). Reload the page.") from error
    return path, stat.st_mtime_ns, stat.st_size


def size_of(read: tuple[Cube, ...]) -> int:
    """Return about how many bytes cubes take; what a field repeats along an axis is there once."""
    fields = [field for cube in read for field in cube.fields.values()]
    once = ([size for size, step in zip(each.shape, each.strides, strict=True) if step] for each in fields)
    return 1024 + int(sum(field.itemsize * prod(sizes) for field, sizes in zip(fields, once, strict=True)))


_FILES: ByteCache[tuple[Cube, ...]] = ByteCache(LIMIT, size_of)
_REDUCED: ByteCache[tuple[Cube, ...]] = ByteCache(LIMIT // 2, size_of)


def _read(
    path: Path, state: Hashable, groups: tuple[int, ...] | None, names: tuple[str, ...] = FIELDS, *, seeds: bool = True
) -> tuple[Cube, ...]:
    """Return the cubes of a file, or of row groups of it, with the fields of these `names`."""
    table = parquet.read_groups(path, [*COLUMNS, *names], TEXTS, groups)
    if not seeds:
        table = table.filter(pc.is_null(table["seed"]))
    if table["source"].null_count or table["target"].null_count:
        table = table.filter(pc.and_(pc.is_valid(table["source"]), pc.is_valid(table["target"])))
    if not len(table):
        return ()
    texts = {name: texts_and_codes(table[name]) for name in TEXTS}
    fields = {name: table[name].to_numpy().astype(np.float64) for name in names}
    if names == FIELDS and older.is_older(path):
        _as_today(*texts["metric"], fields)
    seed = pc.fill_null(table["seed"], NO_SEED).to_numpy()
    created = pc.cast(table["created_at"], pa.int64()).to_numpy()
    layer = pc.fill_null(table["layer"], NO_LAYER).to_numpy().astype(np.intp)
    series, which = distinct([*(texts[name][1] for name in SERIES), seed])
    cubes_read = []
    for place, (*labels, own_seed) in enumerate(series.tolist()):
        rows = slice(None) if len(series) == 1 else np.flatnonzero(which == place)
        at = created[rows]
        if at.min() < at.max():
            rows = np.arange(len(created))[rows][np.argsort(at, kind="stable")]  # where a cell is there twice the newest stays
        experiment, checkpoint, corpus, variant = (texts[name][0][code] for name, code in zip(SERIES, labels, strict=True))
        metrics, metric = used(texts["metric"][0], texts["metric"][1][rows])
        own_layers, own_layer = layers_of(layer[rows])
        pairs, pair = _pairs_there(*((texts[end][0], texts[end][1][rows]) for end in ("source", "target")))
        shape = len(metrics), len(own_layers), len(pairs)
        cell = np.ravel_multi_index((metric, own_layer, pair), shape)
        cubes_read.append(
            Cube(
                key=(state, groups, place),
                run=path.stem,
                experiment=str(experiment),
                checkpoint=checkpoint,
                corpus=corpus,
                variant=variant,
                seed=None if own_seed == NO_SEED else own_seed,
                created=int(at.max()),
                metrics=metrics,
                layers=own_layers,
                pairs=pairs,
                fields={name: laid_out(field[rows], cell, shape) for name, field in fields.items()},
            )
        )
    return tuple(cubes_read)


def _pairs_there(
    source: tuple[list[str | None], NDArray[np.intp]], target: tuple[list[str | None], NDArray[np.intp]]
) -> tuple[Pairs, NDArray[np.intp]]:
    """Return the pairs that there are, by their sources and then their targets, and the pair of each row."""
    (sources, row), (targets, column) = (used(*end) for end in (source, target))
    names = tuple(sorted({*sources, *targets}))
    row, column = (np.searchsorted(names, own)[codes] for own, codes in ((sources, row), (targets, column)))
    code = row * len(names) + column
    present = np.flatnonzero(np.bincount(code, minlength=len(names) ** 2))
    places = np.zeros(len(names) ** 2, np.intp)
    places[present] = range(len(present))
    return pairs_of(names, present.tobytes()), places[code]


@lru_cache(maxsize=64)
def pairs_of(names: tuple[str, ...], codes: bytes) -> Pairs:
    """Return the same object for the same pairs: the files of a run have them in common."""
    source, target = np.divmod(np.frombuffer(codes, np.intp), len(names))
    return Pairs(names, source, target)


def _as_today(names: Sequence[str | None], metric: NDArray[np.intp], fields: dict[str, NDArray[np.float64]]) -> None:
    """Give the rows of a file of before the intervals of today (`backend.store.older`)."""
    rows = np.isin(metric, [code for code, name in enumerate(names) if name in older.METRICS])
    fields["low"], fields["high"] = fields["low"].copy(), fields["high"].copy()
    fields["low"][rows], fields["high"][rows] = normal_as_jackknife(*(fields[name][rows] for name in FIELDS))
