"""Steps from queried scores of probes to the rows of a figure: a page and a notebook call the same."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isogloss.backend.experiments.frames import own_scale, place_checkpoints, placed_by
from isogloss.backend.recipe_mark import in_recipes


@in_recipes
def name_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Name each row in `layer_name`: `layer 3`, or the mix of all layers; empty for the most frequent tags."""
    layer = "layer " + frame["layer"].astype("Int64").astype("string")
    return frame.assign(layer_name=frame["mix"].astype("string").fillna(layer).fillna(""))


@in_recipes
def normalised(frame: pd.DataFrame, by: str = "language") -> pd.DataFrame:
    """Add `normalised`: each language's scores of one metric laid on 0 (its least) to 1 (its greatest) over the checkpoints.

    Where all are alike, or there is only one, none. Source: de Seyssel et al. 2025, figure 10.
    """
    groups = frame.groupby(["metric", by], sort=False)["value"]
    return frame.assign(normalised=groups.transform(lambda values: own_scale([values.to_numpy(np.float64)])[0]).astype(float))


def peaks(frame: pd.DataFrame, by: str = "language") -> pd.DataFrame:
    """Return the row of each language's highest score over the checkpoints, one a metric; of equal ones the earliest.

    Rows are in the order of the checkpoints, as `label_checkpoints` puts them. Source: figure 10's frames.
    """
    known = frame.dropna(subset=["value"])
    return known.loc[known.groupby(["metric", by], sort=False)["value"].idxmax()].reset_index(drop=True)


@in_recipes
def layers_as_values(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows of best layers with the layer's number as `value`, and what was the value, with its interval, as `score`."""
    names = {"value": "score", "low": "score_low", "high": "score_high"}
    return frame.rename(columns=names).assign(value=frame["layer"].astype(float)).reset_index(drop=True)


def best_sources(frame: pd.DataFrame, *, own: bool = False) -> pd.DataFrame:
    """Return the row of each target's best source, one a metric and checkpoint; of equal ones the first in the alphabet.

    With `own` the target's own language counts as a source too. Source: figure 14's frames, where it does.
    """
    known = frame.dropna(subset=["value"]).sort_values("source", kind="stable")
    known = known if own else known[known["source"] != known["target"]]
    best = known.groupby(["metric", "checkpoint", "target"], sort=True)["value"].idxmax()
    return known.loc[best].reset_index(drop=True)


@in_recipes
def over_checkpoints(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the chosen layers and languages, a line a metric and model. A checkpoint without a step is at its position."""
    means = {"value": "mean", "low": "mean", "high": "mean", "n": "min"}
    keys = ["metric", "model", *placed_by(frame)]
    return place_checkpoints(frame).groupby(keys, as_index=False, sort=False).agg(means)
