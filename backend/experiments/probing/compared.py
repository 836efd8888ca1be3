"""The paired intervals of differences in probing scores, by what the probes told of each word of the same test sentences."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.compared import with_paired
from isogloss.backend.experiments.probing import predictions
from isogloss.backend.experiments.probing.rows import ENTITY_F1
from isogloss.backend.files import digest
from isogloss.backend.metrics.paired import of_ratios
from isogloss.backend.metrics.probing.entities import entity_counts
from isogloss.backend.metrics.probing.scores import correct
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details
from isogloss.backend.store.scores import query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.probing.queries import Served
    from isogloss.backend.experiments.probing.spec import ProbingSpec

    Of = tuple[str, str]
    """The fingerprint of a checkpoint and the language tested in."""

ACCURACY = "probe_accuracy"
PAIRABLE = (ACCURACY, ENTITY_F1)
"""Of these alone what probes told is kept: control tags are not."""
THREADS = 2
"""Files read at once."""
SEEDS = """
SELECT run, checkpoint, layer, target, seed, value FROM {scores}
WHERE metric = $metric AND seed IS NOT NULL AND layer IS NOT NULL
ORDER BY checkpoint, target, layer, seed
"""


@dataclass(frozen=True, eq=False)
class Sums:
    """What the probes of one seed told of a test part, summed over each sentence."""

    tested: str
    """Tells the sentences and words tested on, and their gold tags, from others."""
    layers: Mapping[int, int]
    """The row of each layer."""
    part: NDArray[np.integer]
    """`[layers, sentences]`: right words, or twice the entities found."""
    whole: NDArray[np.integer]
    """`[layers, sentences]`: entities predicted and those there; `[1, sentences]`: words, the same at every layer."""

    def of(self, layers: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return part and whole of these layers, `[layers, sentences]`."""
        rows = [self.layers[layer] for layer in layers.tolist()]
        return self.part[rows], self.whole[rows if len(self.whole) > 1 else [0]]


def keys(specs: Sequence[ProbingSpec]) -> dict[Of, str]:
    """Return the key of what the probes of each checkpoint and target told: `specs` train each target in one language."""
    return _keys(tuple(specs))


@lru_cache(maxsize=16)
def _keys(specs: tuple[ProbingSpec, ...]) -> dict[Of, str]:
    """Not to be changed: a draw asks for them twice, and of two checkpoints in 204 languages they are 408 digests."""
    return {
        (shard.checkpoint.fingerprint, target): predictions.key(spec.provenance(shard), target)
        for spec in specs
        for shard in spec.every_shard()
        for target in spec.targets_of(shard.source)
    }


@in_recipes
@depends_on(lambda specs, workspaces, **_: details.published(keys(specs).values(), workspaces))
def paired(
    frame: pd.DataFrame, *, specs: Sequence[ProbingSpec], found: Served, metric: str, workspaces: Sequence[Path]
) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` both of whose probes were tested on the same words.

    `frame` has language (the one tested in), layer, checkpoint_first, checkpoint_second, difference. What is kept is of one
    seed; how far seeds lie apart is in the scores that were `found` of the `specs`. Other metrics than `PAIRABLE` stay as they
    are, and so does a row whose widest interval is narrower, as of two seeds: that one is wrong so rarely that choosing costs
    nothing.
    """
    if metric not in PAIRABLE or frame.empty:
        return frame
    kept, pairable = _every(keys(specs), metric, workspaces), []
    for key, rows in frame.groupby(["checkpoint_first", "checkpoint_second", "language"]).indices.items():
        one, other, target = map(str, key)  # type: ignore[call-overload]
        first, second = (kept.get((end, target)) for end in (one, other))
        if first is not None and second is not None and first.tested == second.tested:
            pairable.append((rows, first, second))
    if not pairable:
        return frame
    by_seed = _by_seed(frame, found, metric)
    differences, layers = (frame[name].to_numpy() for name in ("difference", "layer"))
    low, high, freedom = np.full((3, len(frame)), np.nan)
    for rows, first, second in pairable:
        there = np.isfinite(by_seed[rows]).all(axis=1) & np.isin(layers[rows], list(first.layers.keys() & second.layers.keys()))
        some = rows[there]
        sides = first.of(layers[some]), second.of(layers[some])
        low[some], high[some], freedom[some] = of_ratios(differences[some], *sides, by_seed[some])
    wider = high - low > (frame["high"] - frame["low"]).to_numpy(float)
    return with_paired(frame, np.where(wider, np.nan, low), high, freedom)


def _by_seed(frame: pd.DataFrame, found: Served, metric: str) -> NDArray[np.float64]:
    """Return the difference of each seed of both sides, `[rows, seeds]`: nan where a side lacks it."""
    seeds = query(SEEDS, {"metric": metric}, found.files)
    wanted = [(run, target) for run, targets in found.wanted for target in sorted(targets)]
    seeds = seeds.merge(pd.DataFrame(wanted, columns=["run", "target"]).astype("str"), on=["run", "target"])
    values = seeds.pivot_table(index=["checkpoint", "target", "layer"], columns="seed", values="value")
    sides = (
        values.reindex(pd.MultiIndex.from_frame(frame[[f"checkpoint_{side}", "language", "layer"]])).to_numpy(np.float64)
        for side in ("first", "second")
    )
    first, second = sides
    return first - second if len(values) else np.full((len(frame), 1), np.nan)


def _every(kept: Mapping[Of, str], metric: str, workspaces: Sequence[Path]) -> dict[Of, Sums | None]:
    """Return what is kept by these keys, summed over sentences; None where nothing is."""

    def sums(key: str) -> Sums | None:
        there = details.published([key], workspaces)
        if not there:
            return None
        found: Sums | None = details.BY_SENTENCE.get(("probing", there, metric), lambda: _read(key, metric, workspaces))
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        return dict(zip(kept, pool.map(sums, kept.values()), strict=True))


def _read(key: str, metric: str, workspaces: Sequence[Path]) -> Sums | None:
    kept = predictions.of_key(key, workspaces)
    if kept is None:
        return None
    places = {int(probe): probe for probe in kept.told if probe.isdecimal()}
    told = np.stack([kept.told[probe] for probe in places.values()])[:, None] if places else np.empty((0, 1, len(kept.right)))
    begins = np.append(np.flatnonzero(np.diff(kept.sentences, prepend=-1)), len(kept.sentences))
    if metric == ENTITY_F1:
        part, whole = (each[:, 0] for each in entity_counts(told, kept.right, kept.tags, begins))
    else:  # no sentence is without a word, so that neighbouring begins differ
        part = np.add.reduceat(correct(told, kept.right)[:, 0], begins[:-1], axis=1, dtype=np.int32)
        whole = np.diff(begins)[None]
    tested = digest([list(kept.tags), *(each.tobytes().hex() for each in (kept.sentences, kept.words, kept.right))])
    layers = {layer: row for row, layer in enumerate(places)}
    kind = np.int16 if whole.max(initial=0) < 1 << 15 else np.int32  # half the memory
    return Sums(tested, layers, part.astype(kind), whole.astype(kind))
