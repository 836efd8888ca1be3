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
from isogloss.backend.store import by_pair
from isogloss.backend.store.cube import Cube, Pairs, read_whole, size_of, state_of
from isogloss.backend.store.over_pairs import ENDS, by_language, ends_of, over_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FOLDER, VERSION = "sums", 2
"""Beside the shards; raised where the sums, or how a file is read, change."""
WORTH = 1 << 18
"""Bytes of a file from which on its sums are kept: what is smaller is read as fast."""
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
        if said.get("of") == said_of(state):
            return _cubes(parquet.read(place), said["series"], state)
    except (OSError, StoreError, KeyError, TypeError, ValueError):
        pass  # not there, damaged or of another version: it is made again
    return _make(path, state)


def said_of(state: tuple[Path, int, int]) -> list[int]:
    """Return what sums, and numbers pair by pair, say of the file that they are of."""
    return [VERSION, *state[1:]]


def _make(path: Path, state: tuple[Path, int, int]) -> tuple[Cube, ...]:
    cubes = read_whole(path)
    made = tuple(_summed(cube, place, state) for place, cube in enumerate(cubes))
    if path.parents[2].resolve() != DEMO and state_of(path) == state:
        with suppress(StoreError):  # a disk that is full, a workspace that is only looked at: it is as slow as before
            said = {"of": said_of(state), "series": [_said_of_series(cube) for cube in made]}
            parquet.write(_place(path), _table(made), said, numbers=COLUMNS)
            by_pair.write(path, cubes, said_of(state))
    return made


def _summed(cube: Cube, place: int, state: tuple[Path, int, int]) -> Cube:
    names = cube.pairs.names
    of_languages = {f"language_{name}": field for name, field in by_language(cube, names, None).items()}
    return replace(cube, key=(state, "sums", place), pairs=_only(names), fields=over_pairs(cube, names, None) | of_languages)


def _only(names: tuple[str, ...]) -> Pairs:
    """Return languages without their pairs."""
    none = np.zeros(0, np.intp)
    return Pairs(names, none, none)


Chosen = tuple[tuple[str, ...], frozenset[tuple[str, str]] | None]
"""Languages, sorted, and the pairs of them that are wanted; None for all."""


def over_some(path: Path, chosen: Chosen, *, each_language: bool, extremes: bool = False) -> tuple[Cube, ...] | None:
    """Return the sums over some pairs of a large file, as `over_pairs` or `by_language` give them; None of any other file.

    Read pair by pair, each number to seven digits: those that are chosen, or, without `extremes` (`least`, `greatest`), those
    that are not, whichever are fewer. Raises as `cubes` does.
    """
    if not (whole := of_file(path)):
        return None
    state = state_of(path)
    key = state, chosen, each_language, extremes
    return _KEPT.get(key, lambda: _some(path, whole, state, chosen, each_language, extremes))


def over_wanted(path: Path, wanted: Sequence[tuple[str, str]], *, each_language: bool = False) -> tuple[Cube, ...] | None:
    """Return the sums over these pairs of a large file, as `over_some` gives them; None of any other. Raises as `cubes`."""
    kept = by_pair.load(path, said_of(state_of(path))) if of_file(path) else None
    if kept is None:
        return None
    names = tuple(sorted({end for pair in wanted for end in pair}))
    every = all(each.pairs.among(names, wanted).sum() == each.pairs.among(names).sum() for each in kept)
    return over_some(path, (names, None if every else frozenset(wanted)), each_language=each_language)


def over_layers(path: Path, layers: tuple[int, ...], amount: int = 3) -> tuple[Cube, ...] | None:
    """Return each pair's sums over layers, to seven digits, of a large file: `total` and `count` [amount, metrics, pairs].

    Of the first `amount` of `ENDS`; and `n` [pairs], infinite for a pair without a value at these layers. None of any other
    file. Nothing is kept. Raises as `cubes` does.
    """
    whole = of_file(path)
    kept = by_pair.load(path, said_of(state_of(path))) if whole else None
    if not whole or kept is None or len(kept) != len(whole):
        return None
    try:
        summed = [each.over_layers(np.isin(cube.layers, layers), amount) for each, cube in zip(kept, whole, strict=True)]
    except (OSError, ValueError):
        return None
    pairs = [each.pairs for each in kept]
    return tuple(replace(cube, pairs=own, fields=of) for cube, own, of in zip(whole, pairs, summed, strict=True))


def _some(
    path: Path, whole: tuple[Cube, ...], state: tuple[Path, int, int], chosen: Chosen, each_language: bool, extremes: bool
) -> tuple[Cube, ...] | None:
    kept = by_pair.load(path, said_of(state))
    if kept is None or len(kept) != len(whole):
        return None
    try:
        fields = [_of_series(*each, chosen, each_language, extremes) for each in zip(kept, whole, strict=True)]
    except (OSError, ValueError):
        return None
    return tuple(replace(cube, key=(state, "some"), fields=own) for cube, own in zip(whole, fields, strict=True))


def _of_series(series: by_pair.ByPair, whole: Cube, chosen: Chosen, each_language: bool, extremes: bool) -> dict[str, Floats]:
    inside, outside = _places(series.pairs, *chosen)
    subtract = not extremes and len(outside[0]) < len(inside[0])
    some, few = outside if subtract else inside
    names = whole.pairs.names if subtract else chosen[0]
    summed = series.sums(some, ends_of(few, names, None) if each_language else None)
    if subtract:
        summed = _left(whole, summed, chosen[0] if each_language else None)
    if each_language:
        summed["count"] = _once(summed["count"])
    else:
        summed["n"] = np.where(summed["count"][0] > 0, series.n, np.inf)
    if extremes:
        values = series.values(some)
        summed["least"] = np.fmin.reduce(values, axis=0, initial=np.inf).astype(np.float64)
        summed["greatest"] = np.fmax.reduce(values, axis=0, initial=-np.inf).astype(np.float64)
    return summed


def _left(whole: Cube, without: dict[str, Floats], languages: tuple[str, ...] | None) -> dict[str, Floats]:
    """Return what is left of sums over all pairs without those over some, of each of the `languages` or of all together."""
    if languages is None:
        return {name: whole.fields[name] - without[name] for name in ("total", "count")}
    own, there = _places_of(whole.pairs.names, languages)
    left = {}
    for name in ("total", "count"):
        found = whole.fields[f"language_{name}"].take(own, axis=-1) - without[name].take(own, axis=-1)
        left[name] = found if there.all() else np.where(there, found, 0.0)
    return left


def _once(count: Floats) -> Floats:
    """Return the same numbers of each language's pairs, kept once where all measures and layers have as many."""
    first = count[:1, :1, :1]
    return np.broadcast_to(first[0, 0, 0].copy(), count.shape) if count.size and (count == first).all() else count


@lru_cache(maxsize=8)
def _places_of(names: tuple[str, ...], languages: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return where each of these languages stands among names, 0 where it does not, and whether it does."""
    place = {name: at for at, name in enumerate(names)}
    return np.array([place.get(each, 0) for each in languages], np.intp), np.array([each in place for each in languages], bool)


@lru_cache(maxsize=8)
def _places(
    of: Pairs, languages: tuple[str, ...], pairs: frozenset[tuple[str, str]] | None
) -> tuple[tuple[NDArray[np.intp], Pairs], ...]:
    """Return the places of the chosen pairs with these alone, then of the others: the same objects for all files of a run."""
    among = of.among(languages, None if pairs is None else list(pairs))
    both = (np.flatnonzero(among), np.flatnonzero(~among))
    return tuple((some, Pairs(of.names, of.source[some], of.target[some])) for some in both)


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
            if prefix:
                fields["language_count"] = _once(fields["language_count"])
            else:
                fields |= {name: columns[name][rows].reshape(shape) for name in EXTREMES}
        own: dict[str, Any] = {name: said[name] for name in IDENTITY}
        key = state, "sums", place
        made.append(Cube(key=key, metrics=metrics, layers=layers, pairs=_only(names), fields=fields, **own))
    if start != len(table):
        raise ValueError("the rows do not fit what is said of them")
    return tuple(made)
