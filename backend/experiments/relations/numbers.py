"""A measure of one checkpoint with all that its scores say: value, interval and n, laid out as Relations has the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.relations.cubes import laid_out, parts_of
from isogloss.backend.store.cube import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.cubes import Files, Part
    from isogloss.backend.experiments.relations.reading import Scored

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """`FIELDS`, each [layers, names, names] (row: source, column: target), nan where there is none."""

    fields: dict[str, Floats]
    layers: tuple[int, ...]
    names: tuple[str, ...]


def numbers_of(of: Scored, files: Files) -> Numbers:
    """Return the numbers of a measure's first checkpoint in some files.

    A value is that of Relations: the mean over seeds, where a family does not keep one itself. Such a mean has no interval
    unless it is of one seed, and the n of the seed that rests on least.
    """
    parts = parts_of(of, files)
    squares = laid_out(of, parts)
    seeds = _by_seed(of, parts, squares.names, squares.layers)
    fields = {"value": squares.values[0]}
    kept = seeds.pop(None, None)
    for name in FIELDS[1:]:
        several = _of_seeds(name, list(seeds.values()), fields["value"].shape)
        own = several if kept is None else np.where(np.isfinite(kept["value"]), kept[name], several)
        fields[name] = np.where(np.isnan(own), np.swapaxes(own, 1, 2), own) if squares.symmetric else own
    return Numbers(fields, squares.layers, squares.names)


def _by_seed(
    of: Scored, parts: Sequence[Part], names: Sequence[str], layers: Sequence[int]
) -> dict[int | None, dict[str, Floats]]:
    """Return the newest numbers of each seed."""
    shape = len(layers), len(names), len(names)
    seeds: dict[int | None, dict[str, Floats]] = {}
    for cube, value, there in parts:
        row, column = cube.pairs.places(names)
        layer, pair = np.nonzero(there & np.isfinite(value))
        at = np.searchsorted(layers, cube.layers)[layer], row[pair], column[pair]
        own = seeds.setdefault(cube.seed, {name: np.full(shape, np.nan) for name in FIELDS})
        for name in FIELDS:
            own[name][at] = cube.fields[name][cube.metrics.index(of.metric)][layer, pair]
    return seeds


def _of_seeds(name: str, seeds: Sequence[dict[str, Floats]], shape: tuple[int, ...]) -> Floats:
    """Return an end of the interval where there is one seed; of n the least."""
    if not seeds:
        return np.full(shape, np.nan)
    stacked = np.stack([each[name] for each in seeds])
    least: Floats = np.fmin.reduce(stacked, axis=0)
    if name == "n":
        return least
    return np.where(sum(np.isfinite(each["value"]) for each in seeds) == 1, least, np.nan)
