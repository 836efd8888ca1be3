"""Steps from scores to the rows of a figure that several families share: a page and a notebook call the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.backend.metrics.own_scale import own_scale
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import scores

__all__ = [
    "Known",
    "files_of",
    "label_checkpoints",
    "label_choices",
    "own_scale",
    "percent",
    "place_checkpoints",
    "rows_with",
]

Known = tuple[str, str, str, int | None, int] | tuple[str, str, str, int | None, int, str, float | None]
"""A checkpoint as a figure names it: fingerprint, model, label, training step, position among those of its model.

Where its place on an axis is not its step (or its position, without steps), also its stage and its place:
`backend.experiments.progress`.
"""
COLUMNS = ("checkpoint", "model", "label", "step", "position", "stage", "place")


def files_and_times(workspaces: Sequence[Path], family: str, shards: Collection[str]) -> tuple[tuple[str, float], ...]:
    """Return the score files of these shards, each with when it was published."""
    return tuple((str(shard.path), shard.modified) for shard in scores.named_shards(workspaces, family, shards))


@in_recipes
@depends_on(files_and_times)
def files_of(workspaces: Sequence[Path], family: str, shards: Collection[str]) -> list[Path]:
    """List the score files of these shards, by their names without the ending."""
    return [shard.path for shard in scores.named_shards(workspaces, family, shards)]


@in_recipes
def label_checkpoints(frame: pd.DataFrame, checkpoints: Sequence[Known]) -> pd.DataFrame:
    """Add each checkpoint's model, label, step and position, and its stage and place where some have these.

    A checkpoint that two of these models share is there twice.

    `checkpoints` are those that were chosen of each model, and no others of it: a row is named by the choice, not by who owns
    its weights.
    """
    return _in_order(_named(frame, checkpoints))


@in_recipes
def label_choices(frame: pd.DataFrame, choices: Sequence[tuple[Sequence[str], Sequence[Known]]]) -> pd.DataFrame:
    """As `label_checkpoints`, of several choices in one frame, each the rows of its variants: (variants, checkpoints)."""
    own = [_named(rows_with(frame, variant=variants), checkpoints) for variants, checkpoints in choices]
    return _in_order(pd.concat(own, ignore_index=True))


def _named(frame: pd.DataFrame, checkpoints: Sequence[Known]) -> pd.DataFrame:
    long = max((len(each) for each in checkpoints), default=5)
    rows = [
        (*each, "", float(each[4] if each[3] is None else each[3]))[:long] if len(each) < long else each for each in checkpoints
    ]
    named = pd.DataFrame(rows, columns=COLUMNS[:long])
    if not named["checkpoint"].is_unique or len(frame.columns.intersection(named.columns)) > 1:
        return frame.merge(named, on="checkpoint")
    codes, found = pd.factorize(frame["checkpoint"], use_na_sentinel=False)  # a merge compares the texts of all rows
    place = {key: at for at, key in enumerate(named.pop("checkpoint"))}
    at = np.array([place.get(key, -1) for key in found.tolist()], np.intp)[codes]
    labels = named.take(at[at >= 0]).reset_index(drop=True)
    return pd.concat([frame[at >= 0].reset_index(drop=True), labels], axis=1)


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    order = np.lexsort((frame["position"].to_numpy(), pd.factorize(frame["model"], sort=True)[0]))
    return frame if (np.diff(order) == 1).all() else frame.take(order).reset_index(drop=True)


@in_recipes
def place_checkpoints(frame: pd.DataFrame) -> pd.DataFrame:
    """Make every row's `step` its `place` where there are places; a checkpoint without a step stands at its position else."""
    if "place" in frame:
        return frame.assign(step=frame["place"].astype(float))
    return frame.assign(step=frame["step"].astype("Float64").fillna(frame["position"]).astype(float))


def placed_by(frame: pd.DataFrame) -> list[str]:
    """List the columns that say where on the axis of training a row stands, and what hovers there."""
    return ["step", "stage", "label"] if "place" in frame else ["step"]


@in_recipes
def rows_with(frame: pd.DataFrame, **values: Collection[object]) -> pd.DataFrame:
    """Select the rows whose columns hold one of these values: `rows_with(frame, layer=[3, 4])`."""
    for column, wanted in values.items():
        frame = frame.loc[frame[column].isin(list(wanted))]
    return frame


@in_recipes
def percent(frame: pd.DataFrame) -> pd.DataFrame:
    """Add `percent`: the `value`, a share, times 100."""
    return frame.assign(percent=100 * frame["value"].astype(float))


def with_p(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """Add `p`, of each `value` by itself from its 95% interval, and `p_corrected`: Benjamini & Hochberg's over all rows.

    The interval is `low` to `high`: normal, or Student's where its degrees of `freedom` are told.
    """
    interval = frame.reindex(columns=[value, "low", "high", "freedom"]).astype(float)
    p = p_of_intervals(*interval.to_numpy().T)
    return frame.assign(p=p, p_corrected=benjamini_hochberg(p))
