"""Each pair's scores at each checkpoint, as arrays: of 40 checkpoints of 20,706 pairs no frame holds every pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.abx.queries import BOUNDED, SCORES, over_layers_of
from isogloss.backend.store.cube import Pairs, reduced

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.store.cube import Cube, Pair

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairMeans:
    """Each pair's scores at one checkpoint, mean over layers: shares of triplets, nan where a pair has none."""

    key: Hashable
    """What the numbers are of: file, layers."""
    checkpoint: str
    pairs: Pairs
    language: Floats
    """[pairs]"""
    meaning: Floats
    """[pairs]"""

    def among(self, languages: tuple[str, ...], wanted: tuple[Pair, ...] | None) -> PairMeans:
        """Return those of the pairs among these languages that are wanted (None: all)."""
        some, pairs = _some(self.pairs, languages, wanted)
        return PairMeans(self.key, self.checkpoint, pairs, self.language[some], self.meaning[some])

    def is_empty(self) -> bool:
        """Return whether no pair has a number."""
        return not (np.isfinite(self.language).any() or np.isfinite(self.meaning).any())


@lru_cache(maxsize=8)
def _some(of: Pairs, languages: tuple[str, ...], wanted: tuple[Pair, ...] | None) -> tuple[NDArray[np.intp], Pairs]:
    """Return the places of the chosen pairs, and these alone: the same objects for all files of a run."""
    some = np.flatnonzero(of.among(languages, wanted))
    return some, Pairs(of.names, of.source[some], of.target[some])


def pair_means(path: Path, checkpoints: Sequence[str], layers: Sequence[int]) -> list[PairMeans]:
    """Return the columns `language` and `meaning` of `queries.pairs` as arrays, of all pairs of a file.

    Checkpoints that have no score at these layers are left out.
    """
    chosen = tuple(sorted(set(layers)))
    read = partial(over_layers_of, layers=chosen, amount=1)
    means = [
        PairMeans((cube.key, chosen), str(cube.checkpoint), cube.pairs, *cube.fields["means"])
        for cube in reduced(path, ("means over layers", chosen), _means, read)
        if cube.checkpoint in set(checkpoints)
    ]
    return [each for each in means if not each.is_empty()]


def _means(cube: Cube) -> dict[str, Floats]:
    """Return the mean over layers of language and meaning discrimination, of their sums: `means` [2, pairs]."""
    means = np.full((2, len(cube.pairs)), np.nan)
    for row, name in enumerate(BOUNDED):
        if SCORES[name] in cube.metrics:
            total, count = (cube.fields[part][0, cube.metrics.index(SCORES[name])] for part in ("total", "count"))
            means[row] = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return {"means": means}
