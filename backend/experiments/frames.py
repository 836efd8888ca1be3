"""Steps from scores to the rows of a figure that several families share: a page and a notebook call the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pandas as pd

from backend.store import scores

Known = tuple[str, str, str, int | None, int]
"""A checkpoint as a figure names it: fingerprint, model, label, training step, position among those of its model."""


def files_of(workspaces: Sequence[Path], family: str, shards: Collection[str]) -> list[Path]:
    """List the score files of these shards, by their names without the ending."""
    return [shard.path for shard in scores.shards(workspaces, family) if shard.path.stem in shards]


def label_checkpoints(frame: pd.DataFrame, checkpoints: Sequence[Known]) -> pd.DataFrame:
    """Add each checkpoint's model, label, step and position. A checkpoint that two models share is there twice."""
    known = pd.DataFrame(checkpoints, columns=["checkpoint", "model", "label", "step", "position"])
    return frame.merge(known, on="checkpoint").sort_values(["model", "position"], kind="stable", ignore_index=True)


def place_checkpoints(frame: pd.DataFrame) -> pd.DataFrame:
    """Give every row a `step`: a checkpoint whose name tells none stands at its position."""
    return frame.assign(step=frame["step"].astype("Float64").fillna(frame["position"]).astype(float))


def rows_with(frame: pd.DataFrame, **values: Collection[object]) -> pd.DataFrame:
    """Select the rows whose columns hold one of these values: `rows_with(frame, layer=[3, 4])`."""
    for column, wanted in values.items():
        frame = frame.loc[frame[column].isin(list(wanted))]
    return frame


def percent(frame: pd.DataFrame) -> pd.DataFrame:
    """Add `percent`: the `value`, a share, times 100."""
    return frame.assign(percent=100 * frame["value"].astype(float))
