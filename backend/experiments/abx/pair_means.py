"""Each pair's scores at each checkpoint, as arrays: of 40 checkpoints of 20,706 pairs no frame holds every pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.abx.queries import BOUNDED, SCORES, over_layers_of
from isogloss.backend.store.cube import reduced

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.abx.queries import Pairs
    from isogloss.backend.store.cube import Cube

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairMeans:
    """Each pair's scores at each checkpoint, mean over layers: shares of triplets, nan where a pair has none."""

    checkpoints: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    language: Floats
    """[checkpoints, pairs]"""
    meaning: Floats
    """[checkpoints, pairs]"""


def pair_means(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    pairs: Pairs = None,
) -> PairMeans:
    """Return the columns `language` and `meaning` of `pairs` as arrays: no frame holds every pair of every checkpoint.

    Checkpoints that have no score at these layers are left out.
    """
    chosen = tuple(sorted(set(layers)))
    means = [
        cube
        for path in files
        for cube in reduced(path, ("means over layers", chosen), _means, partial(over_layers_of, layers=chosen, amount=1))
        if cube.checkpoint in set(checkpoints) and np.isfinite(cube.fields["means"]).any()
    ]
    lists = {id(cube.pairs): cube.pairs for cube in means}
    pairs_of_cube = {key: list(compress(each, each.among(languages, pairs))) for key, each in lists.items()}
    every = tuple(dict.fromkeys(pair for of_one in pairs_of_cube.values() for pair in of_one))
    place = {pair: column for column, pair in enumerate(every)}
    values = np.full((2, len(means), len(every)), np.nan)
    for row, cube in enumerate(means):
        columns = [place[pair] for pair in pairs_of_cube[id(cube.pairs)]]
        values[:, row, columns] = cube.fields["means"][:, cube.pairs.among(languages, pairs)]
    known = np.isfinite(values).any(axis=(0, 2))
    names = tuple(str(cube.checkpoint) for cube, has in zip(means, known.tolist(), strict=True) if has)
    return PairMeans(names, every, values[0, known], values[1, known])


def _means(cube: Cube) -> dict[str, Floats]:
    """Return the mean over layers of language and meaning discrimination, of their sums: `means` [2, pairs]."""
    means = np.full((2, len(cube.pairs)), np.nan)
    for row, name in enumerate(BOUNDED):
        if SCORES[name] in cube.metrics:
            total, count = (cube.fields[part][0, cube.metrics.index(SCORES[name])] for part in ("total", "count"))
            means[row] = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return {"means": means}
