"""Steps from queried ABX scores to the rows of a figure: a page and a notebook call the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.compared import SIDE
from isogloss.backend.experiments.frames import Known, files_of, label_checkpoints, place_checkpoints, placed_by
from isogloss.backend.recipe_mark import in_recipes

EACH = "each other"
"""The side of all models but the first, where it is set against each."""
MEASURED, SHUFFLED, HELD = "measured", "shuffled", "held constant"
"""Scores, and their two controls: languages or sentences shuffled; the variable of interest held constant (the paper's)."""


@in_recipes
def over_checkpoints(frame: pd.DataFrame, each: bool) -> pd.DataFrame:
    """One line per model (mean over the chosen layers), or one a layer. Checkpoints without a step stand at their position."""
    frame = place_checkpoints(frame)
    if each:
        return frame.assign(line="layer " + frame["layer"].astype(str))
    keys = ["metric", "model", *placed_by(frame)]
    return frame.groupby(keys, as_index=False, sort=False).agg({"value": "mean", "low": "mean", "high": "mean", "n": "min"})


@in_recipes
def over_layers(frame: pd.DataFrame, each: bool) -> pd.DataFrame:
    """Return one line per model (its last chosen checkpoint), or one a checkpoint, named only where the model has several."""
    positions = frame.groupby("model")["position"]
    named = frame.assign(line=frame["label"].where(positions.transform("nunique") > 1, ""))
    return named if each else named[named["position"] == positions.transform("max")]


@in_recipes
def with_controls(frame: pd.DataFrame, metric: str, layers: Sequence[int], over_layers_too: bool, each: bool) -> pd.DataFrame:
    """Return the lines of `metric`, and below them those of its controls, a model each: `control` is "" for the measured.

    `frame` has the columns of `queries.grid`, labelled, and `side`: `MEASURED`, or `SHUFFLED` for scores of protocol control.
    """
    line = over_layers if over_layers_too else over_checkpoints
    rows = frame[frame["layer"].isin(list(layers))]
    measured, shuffled = rows[rows[SIDE] == MEASURED], rows[rows[SIDE] == SHUFFLED]
    held = measured[measured["metric"] == f"{metric}_baseline"].dropna(subset="value")
    named = {"": measured[measured["metric"] == metric], HELD: held, SHUFFLED: shuffled[shuffled["metric"] == metric]}
    found = [line(of, each and not name).assign(control=name) for name, of in named.items() if len(of)]
    return pd.concat(found, ignore_index=True) if found else measured.assign(control="")


@in_recipes
def sides_by_model(frame: pd.DataFrame) -> pd.DataFrame:
    """Add a column `at`: the training step, or the label without one or with stages; and the model as its `side`."""
    steps = frame["step"].astype("Int64").astype("string")
    at = (steps if "stage" not in frame else steps.where(frame["stage"] == "")).fillna(frame["label"])
    return frame.assign(at=at, **{SIDE: frame["model"]})


@in_recipes
def against_each(frame: pd.DataFrame, first: str) -> pd.DataFrame:
    """Put the rows of one model beside those of each other: `other` is which, `side` the first's name or `EACH`."""
    own = frame[frame["model"] == first]
    parts = [
        side
        for name, rows in frame[frame["model"] != first].groupby("model", sort=False)
        for side in (own.assign(other=name, **{SIDE: first}), rows.assign(other=name, **{SIDE: EACH}))
    ]
    return pd.concat(parts, ignore_index=True) if parts else own.assign(other="", **{SIDE: first})


@in_recipes
def sides_by_checkpoint(frame: pd.DataFrame, joint: str) -> pd.DataFrame:
    """Add the model and the checkpoint, joined, as the `side`."""
    return frame.assign(**{SIDE: frame["model"] + joint + frame["label"]})


@in_recipes
def sides_by_corpus(
    workspaces: Sequence[Path],
    sides: Mapping[str, tuple[Sequence[str], Sequence[Known]]],
    languages: Sequence[str],
    pairs: queries.Pairs = None,
) -> pd.DataFrame:
    """Read `queries.grid` of two corpora under each other: `sides` are the shards and checkpoints of each, by its name."""
    found = []
    for name, (shards, known) in sides.items():
        rows = queries.grid(files_of(workspaces, "abx", shards), languages, sorted({each[0] for each in known}), pairs=pairs)
        found.append(label_checkpoints(rows, known).assign(**{SIDE: name}))
    return pd.concat(found, ignore_index=True)
