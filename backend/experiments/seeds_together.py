"""The seeds of a model as one line of a figure: their mean, with how far other seeds would lie."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from isogloss.backend.metrics.intervals import Bounds, mean_of_runs, within
from isogloss.backend.recipe_mark import in_recipes


def name_of_seeds(model: str, amount: int) -> str:
    """Return what the line of so many seeds of a model is called."""
    return f"{model} ({amount} seeds)"


@in_recipes
def seeds_together(
    frame: pd.DataFrame, seeds: Mapping[str, str], *, x: str, each: bool = False, bounds: Bounds = (None, None)
) -> pd.DataFrame:
    """Put the seeds of a model into one line: at each `x` the mean of those that have a value, a row each.

    `seeds` has by the name of a model what it is a seed of; others stay as they are. `each`: lines of a model (`line`) stay
    apart. Intervals of the means are Student's over seeds, cut off at `bounds`; of one seed there is none. `n` is the least.
    """
    own = frame["model"].isin(list(seeds))
    if not own.any():
        return frame
    keys = [x, *(name for name in ("line",) if each and name in frame), *(name for name in ("control",) if name in frame)]
    made = [frame[~own]]
    for model, rows in frame[own].groupby(frame["model"].map(seeds), sort=False):
        name = name_of_seeds(str(model), rows["model"].nunique())
        made.append(pd.DataFrame([_mean(some, bounds) for _, some in rows.groupby(keys, sort=True)]).assign(model=name))
    return pd.concat(made, ignore_index=True)


def _mean(rows: pd.DataFrame, bounds: Bounds) -> pd.Series:
    """Return one row for those of several seeds at one place."""
    values = rows["value"].to_numpy(np.float64, na_value=np.nan)
    known = values[np.isfinite(values)]
    first = rows.iloc[0].copy()
    if "line" in rows and rows["line"].nunique() > 1:
        first["line"] = ""  # checkpoints that are called differently
    if not len(known):
        return first
    found = mean_of_runs(known)
    low, high = within(found.low, found.high, bounds)
    first["value"], first["low"], first["high"] = float(found.value), float(low), float(high)
    if "n" in rows:
        first["n"] = rows["n"].min()
    return first
