"""Steps from queried scores of probes to the rows of a figure: a page and a notebook call the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from isogloss.backend.experiments.frames import own_scale, place_checkpoints, placed_by, rows_with
from isogloss.backend.recipe_mark import in_recipes


@in_recipes
def name_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Name each row in `layer_name`: `layer 3`, or the mix of all layers; empty for the most frequent tags."""
    layer = "layer " + frame["layer"].astype("Int64").astype("string")
    return frame.assign(layer_name=frame["mix"].astype("string").fillna(layer).fillna(""))


@in_recipes
def of_layers(frame: pd.DataFrame, layers: Sequence[int]) -> pd.DataFrame:
    """Return the rows of these layers, without mixes; `language` is the one tested in."""
    layered = frame[frame["layer"].isin(list(layers))]
    return layered.assign(layer=layered["layer"].astype(int), language=layered["target"])


@in_recipes
def normalised(frame: pd.DataFrame, by: str = "language") -> pd.DataFrame:
    """Add `normalised`: each language's scores of one metric laid on 0 (its least) to 1 (its greatest) over the checkpoints.

    Where all are alike, or there is only one, none. Source: de Seyssel et al. 2025, figure 10.
    """
    groups = frame.groupby(["metric", by], sort=False)["value"]
    return frame.assign(normalised=groups.transform(lambda values: own_scale([values.to_numpy(np.float64)])[0]).astype(float))


@in_recipes
def beside_level(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of one metric; of accuracy with the most frequent tag's as `level`, of the same source and target."""
    rows = rows_with(frame, metric=[metric])
    if metric != "probe_accuracy":
        return rows
    keys = ["checkpoint", "source", "target"]
    levels = rows_with(frame, metric=["majority_accuracy"]).set_index(keys)["value"].rename("level")
    return rows.join(levels, on=keys)


def peaks(frame: pd.DataFrame, by: str = "language") -> pd.DataFrame:
    """Return the row of each language's highest score over the checkpoints, one a metric, where it is told (`_told`).

    Source: figure 10's frames, which are drawn for all languages; that an interval has to tell them apart is ours.
    """
    return _told(frame.dropna(subset=["value"]), ["metric", by])


@in_recipes
def layers_as_values(frame: pd.DataFrame, scores: bool = True) -> pd.DataFrame:
    """Return rows of best layers with the layer's number as `value`, without an interval.

    With `scores`, what was the value is `score`, with its interval.
    """
    names = {"value": "score", "low": "score_low", "high": "score_high"}
    made = frame.drop(columns="layer").reset_index(drop=True)
    made = made.rename(columns=names) if scores else made
    return made.assign(value=frame["layer"].to_numpy(float), low=np.nan, high=np.nan)


def best_sources(frame: pd.DataFrame, *, own: bool = False) -> pd.DataFrame:
    """Return the row of each target's best source, one a metric and checkpoint, where it is told (`_told`).

    With `own` the target's own language counts as a source too. Source: figure 14's frames, where it does and all targets have
    one; that an interval has to tell it apart is ours.
    """
    known = frame.dropna(subset=["value"])
    return _told(known if own else known[known["source"] != known["target"]], ["metric", "checkpoint", "target"])


def _told(known: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the highest row of each group whose interval lies above those of all others, and above its `level` if it has one.

    What is told on the same examples has errors that move together in an unknown way: intervals that do not meet are the
    safe answer (`difference_ends` at its widest). The only row of a group is the best of nothing.
    """
    known = known.reset_index(drop=True)
    highest = known.loc[known.groupby(by)["value"].idxmax()]
    others = known.drop(index=highest.index).groupby(by)["high"].agg(lambda ends: ends.max(skipna=False)).rename("rival")
    told = highest["low"] > highest.join(others, on=by)["rival"]
    if "level" in highest:
        told &= ~(highest["low"] <= highest["level"])
    return highest[told].reset_index(drop=True)


@in_recipes
def over_checkpoints(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the chosen layers and languages, a line a metric and model. A checkpoint without a step is at its position."""
    means = {"value": "mean", "low": "mean", "high": "mean", "n": "min"}
    keys = ["metric", "model", *placed_by(frame)]
    return place_checkpoints(frame).groupby(keys, as_index=False, sort=False).agg(means)
