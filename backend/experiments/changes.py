"""How a measure changes from one checkpoint to another: means over the same cells of both, with the difference's interval."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pandas as pd

from isogloss.backend.experiments import registry
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.spec import PerCheckpoint
    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.store.scores import ShardFile

CELL = ["variant", "layer", "source", "target"]
"""What makes two values of one measure comparable."""
ENDS = ["value", "low", "high"]
FREE = ("languages", "pairs", "targets", "per_sentence")
"""What a run may ask otherwise than the one whose file has its scores: which pairs, and what is kept beside them."""
CELLS = """
SELECT coalesce(variant, '') AS variant, coalesce(layer, -1) AS layer, coalesce(source, '') AS source,
  coalesce(target, '') AS target, avg(value) AS value, avg(low) AS low, avg(high) AS high
FROM (
  SELECT *, bool_or(seed IS NULL) OVER () AS means FROM {scores}
  WHERE metric = $metric AND checkpoint = $checkpoint AND ($any OR list_contains($pairs, [source, target]))
  QUALIFY row_number() OVER (PARTITION BY variant, layer, source, target, seed ORDER BY created_at DESC) = 1
)
WHERE (seed IS NULL OR NOT means) AND value - value = 0 AND ($all OR list_contains($layers, layer)) GROUP BY ALL
"""
"""Single seeds are left out beside their means; of files that have the same score, the newest.

`value - value = 0` is false of nan: DuckDB takes what a file says of its least and greatest number for all of them, and `isnan`
of a column for false (`store.older`).
"""


@dataclass(frozen=True)
class Value:
    """A mean over cells with the mean of their intervals; nan where these are not defined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Change:
    """A measure before and after, over the cells that both have."""

    before: float
    after: float
    low: float
    """Of after − before, its 95% interval; nan where it is not defined."""
    high: float
    paired: bool
    """Whether the interval is that of paired errors; else the widest that the difference can have."""

    @property
    def difference(self) -> float:
        """After − before."""
        return self.after - self.before


def value(
    spec: PerCheckpoint, checkpoint: Checkpoint, metric: str, layers: Sequence[int] | None, at: list[Path]
) -> Value | None:
    """Return a measure's mean at a checkpoint over all that a run of `spec` scored; None where there are no scores.

    `layers` None: all. `at`: the workspaces.
    """
    found = _cells(spec, checkpoint, metric, layers, at)
    return None if found.empty else Value(*(_mean(found[end]) for end in ENDS))


def change(
    spec: PerCheckpoint,
    before: Checkpoint,
    after: Checkpoint,
    metric: str,
    layers: Sequence[int] | None,
    at: list[Path],
) -> Change | None:
    """Return how a measure changed between two checkpoints of a model; None where they have no cell in common.

    The interval is the paired one where the experiment has it, else the widest that there can be (`difference_ends`).
    """
    first, second = (_cells(spec, each, metric, layers, at) for each in (before, after))
    both = first.merge(second, on=CELL, suffixes=("_before", "_after"))
    if both.empty:
        return None
    old, new = ([_mean(both[f"{end}_{side}"]) for end in ENDS] for side in ("before", "after"))
    known = registry.EXPERIMENTS[spec.experiment].paired
    used = sorted({int(layer) for layer in both["layer"]})
    # A paired interval is of all pairs at each layer: where a cell is lacking on one side, the means are not of these.
    whole = len(both) == len(used) * len({frozenset(pair) for pair in _pairs(spec, after)})
    ends = known(spec, metric, used, before, after, new[0] - old[0], at) if known and whole else None
    low, high = ends or (float(end) for end in difference_ends(new, old))
    return Change(old[0], new[0], low, high, paired=ends is not None)


def _mean(column: pd.Series) -> float:
    """Return the mean over cells: nan where one of them has none, since the others' would be of other cells."""
    return float(column.mean(skipna=False))


def _cells(
    spec: PerCheckpoint, checkpoint: Checkpoint, metric: str, layers: Sequence[int] | None, at: list[Path]
) -> pd.DataFrame:
    """Return the values of a measure at a checkpoint, a row a cell, of exactly what a run of `spec` asks for.

    Of whichever files have them: a run computes nothing that is there, of more pairs than it asked for.
    """
    family = next(each.name for each in registry.FAMILIES if spec.experiment in {one.name for one in each.experiments})
    shards = spec.model_copy(update={"checkpoints": (checkpoint,)}).shards()
    depends = [spec.provenance(piece) for piece in shards.values()]
    have = scores.shards(at, family)
    files = [file for file in have if file.run in shards or any(_serves(file, each) for each in depends)]
    pairs = [list(pair) for pair in sorted(_pairs(spec, checkpoint))]
    asked = {"any": not pairs, "pairs": pairs or [["", ""]]}
    arguments = {"metric": metric, "checkpoint": checkpoint.fingerprint, "all": layers is None, "layers": list(layers or ())}
    return scores.query(CELLS, arguments | asked, [file.path for file in files])


def _serves(file: ShardFile, provenance: Mapping[str, Any]) -> bool:
    """Return whether a file was computed from the same, but for which pairs, and on the same sentences."""
    said = file.provenance
    if any(said.get(name) != value for name, value in provenance.items() if name not in FREE):
        return False
    # In a corpus with gaps, other languages leave other sentences.
    return said.get("languages") == provenance.get("languages") or bool(said.get("complete"))


def _pairs(spec: PerCheckpoint, checkpoint: Checkpoint) -> set[tuple[str, str]]:
    """Return the source and target of each score that a run of `spec` asks for at a checkpoint; none where it does not say."""
    found: set[tuple[str, str]] = set()
    for piece in spec.model_copy(update={"checkpoints": (checkpoint,)}).shards().values():
        said = spec.provenance(piece)
        if "source" in said:
            found |= {(said["source"], target) for target in said.get("targets", ())}
        else:
            asked = said.get("pairs") or combinations(said.get("languages", ()), 2)
            found |= {each for one, other, *_ in asked for each in ((one, other), (other, one))}
    return found
