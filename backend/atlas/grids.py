"""The ABX scores of a workspace as grids to walk through: checkpoints × layers × pairs of languages of one model and corpus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.abx import queries
from isogloss.backend.figures.abx import UNITS
from isogloss.backend.models.library import library as models
from isogloss.backend.store import footers, scores
from isogloss.backend.store.cube import cubes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.models.entry import Checkpoint, Model
    from isogloss.backend.store.scores import ShardFile

FAMILY = "abx"
FIELDS = ("value", "low", "high", "n")
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class PairGrid:
    """Scores of pairs of languages of one model on one corpus, computed in one way."""

    model: Model
    corpus: CorpusEntry
    protocol: str
    """The variant, and what else the numbers hang on."""
    checkpoints: tuple[Checkpoint, ...]
    """Those that have scores, in the model's order."""
    files: tuple[ShardFile, ...]
    """One of each checkpoint."""

    @cached_property
    def _held(self) -> tuple[set[str], set[int], set[Pair]]:
        """What the files hold: metrics, layers, pairs. They are read one after the other, and not kept."""
        metrics: set[str] = set()
        layers: set[int] = set()
        pairs: set[Pair] = set()
        for file in self.files:
            for cube in cubes(file.path):
                metrics |= set(cube.metrics)
                layers |= set(cube.layers.tolist())
                pairs |= set(cube.pairs)
        return metrics, layers, pairs

    @cached_property
    def metrics(self) -> list[str]:
        """What is drawn of its scores, in the order of the pages."""
        return [metric for metric in UNITS if metric in self._held[0]]

    @cached_property
    def layers(self) -> list[int]:
        """Every layer that some checkpoint has."""
        return sorted(self._held[1])

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair that some checkpoint has."""
        return sorted(self._held[2])

    @cached_property
    def languages(self) -> list[str]:
        """The tags of the languages that are in some pair."""
        return sorted({tag for pair in self.pairs for tag in pair})

    def values(self, checkpoint: int) -> dict[str, NDArray[np.float64]]:
        """Return `FIELDS` of a checkpoint, by its place: each [metrics, layers, pairs], nan where there is no score."""
        places = {pair: place for place, pair in enumerate(self.pairs)}
        found = {name: np.full((len(self.metrics), len(self.layers), len(places)), np.nan) for name in FIELDS}
        for cube in cubes(self.files[checkpoint].path):
            own = [place for place, metric in enumerate(cube.metrics) if metric in self.metrics]
            rows = np.array([self.metrics.index(cube.metrics[place]) for place in own], np.intp)
            at = np.ix_(
                rows, np.searchsorted(self.layers, cube.layers), np.array([places[pair] for pair in cube.pairs], np.intp)
            )
            for name in FIELDS:
                found[name][at] = cube.fields[name][own]
        return found

    def means(self) -> pd.DataFrame:
        """Return the mean over all pairs as the dashboard has it: metric, checkpoint, layer, value, low, high, pairs, n."""
        keys = [each.fingerprint for each in self.checkpoints]
        return queries.grid([file.path for file in self.files], self.languages, keys)


def pair_grids(workspaces: Sequence[Path], wanted: Iterable[str] | None = None) -> list[PairGrid]:
    """Return every grid of the models called `wanted` (None: of all), by model, corpus and protocol.

    Where several files have scores of one checkpoint computed in one way, the one of most languages counts, and of these the
    newest. Checkpoints that no model has are left out, and corpora that are forgotten.
    """
    names = None if wanted is None else set(wanted)
    known = {entry.id: entry for entry in corpora.entries(workspaces)}
    groups = _by_protocol(scores.shards(workspaces, FAMILY))
    found = []
    for model in models.entries(workspaces):
        if names is not None and model.name not in names:
            continue
        for (corpus, protocol), files in groups.items():
            own = [each for each in model.checkpoints if each.fingerprint in files]
            if own and corpus in known:
                served = tuple(files[each.fingerprint] for each in own)
                found.append(PairGrid(model, known[corpus], protocol, tuple(own), served))
    return found


def _by_protocol(files: Sequence[ShardFile]) -> Mapping[tuple[str, str], dict[str, ShardFile]]:
    """Return the file that serves each checkpoint, by corpus and protocol: `files` are the oldest first."""
    found: dict[tuple[str, str], dict[str, ShardFile]] = {}
    for file in files:
        said = file.provenance
        how = "/".join(filter(None, [str(said.get("variant") or ""), footers.more(FAMILY, said)]))
        served = found.setdefault((str(said.get("corpus")), how), {})
        there = served.get(str(said.get("fingerprint")))
        if there is None or _size(file) >= _size(there):
            served[str(said.get("fingerprint"))] = file
    return dict(sorted(found.items()))


def _size(file: ShardFile) -> int:
    """Return how many pairs a file has, at least: those named, or those of its languages."""
    number = len(file.provenance.get("languages") or ())
    return len(file.provenance.get("pairs") or ()) or number * (number - 1) // 2
