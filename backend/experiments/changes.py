"""How a measure changes from one checkpoint to another: means over the same cells of both, with the difference's interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.experiments import registry
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.spec import PerCheckpoint
    from isogloss.backend.models.entry import Checkpoint

CELL = ["variant", "layer", "source", "target"]
"""What makes two values of one measure comparable."""
ENDS = ["value", "low", "high"]
CELLS = """
SELECT coalesce(variant, '') AS variant, coalesce(layer, -1) AS layer, coalesce(source, '') AS source,
  coalesce(target, '') AS target, avg(value) AS value, avg(low) AS low, avg(high) AS high
FROM (SELECT *, bool_or(seed IS NULL) OVER () AS means FROM {scores} WHERE metric = $metric AND checkpoint = $checkpoint)
WHERE (seed IS NULL OR NOT means) AND NOT isnan(value) AND ($all OR list_contains($layers, layer)) GROUP BY ALL
"""
"""Single seeds are left out beside their means."""


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
    return None if found.empty else Value(*(float(found[end].mean()) for end in ENDS))


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
    old, new = ([float(both[f"{end}_{side}"].mean()) for end in ENDS] for side in ("before", "after"))
    known = registry.EXPERIMENTS[spec.experiment].paired
    used = sorted({int(layer) for layer in both["layer"]})
    ends = known(spec, metric, used, before, after, new[0] - old[0], at) if known else None
    low, high = ends or (float(end) for end in difference_ends(new, old))
    return Change(old[0], new[0], low, high, paired=ends is not None)


def _cells(
    spec: PerCheckpoint, checkpoint: Checkpoint, metric: str, layers: Sequence[int] | None, at: list[Path]
) -> pd.DataFrame:
    """Return the values of a measure at a checkpoint, a row a cell, of the file that a run of `spec` wrote.

    Where it found all computed, of the newest file of the same data.
    """
    own = set(spec.model_copy(update={"checkpoints": (checkpoint,)}).shards())
    family = next(each.name for each in registry.FAMILIES if spec.experiment in {one.name for one in each.experiments})
    corpus = getattr(spec, "corpus", None)
    files = [
        file
        for file in scores.shards(at, family)
        if file.provenance.get("fingerprint") == checkpoint.fingerprint and file.provenance.get("corpus") == corpus
    ]
    chosen = [file for file in files if file.run in own] or files[-1:]
    arguments = {"metric": metric, "checkpoint": checkpoint.fingerprint, "all": layers is None, "layers": list(layers or ())}
    return scores.query(CELLS, arguments, [file.path for file in chosen])
