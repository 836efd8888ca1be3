"""The seeds of a model as one line of a figure: their mean, with how far other seeds would lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.metrics.intervals import Bounds, bounds_of_difference, mean_of_runs, within
from isogloss.backend.metrics.ranking.seeds import welch
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from numpy.typing import NDArray

LINES = ("line", "source", "target")
"""Columns that tell the lines of a model apart."""
MEASURES = ("metric", "measure", "control")
"""Columns that tell what is measured."""
CELL = ("checkpoint", "layer", "mix", "language", "source", "target")
"""Columns that tell the cells of a model's heatmap apart."""
COUNTS = {"n": "min", "least": "min", "most": "max", **dict.fromkeys(("models", "measured", "unmeasured", "seeds"), "sum")}
"""What is counted beside a value, and how that of several seeds comes from theirs: fine-tuned models are all counted."""


def name_of_seeds(model: str, amount: int) -> str:
    """Return what the line of so many seeds of a model is called."""
    return f"{model} ({amount} seeds)"


@in_recipes
def seeds_together(
    frame: pd.DataFrame, seeds: Mapping[str, str], *, x: str, each: bool = False, bounds: Bounds = (None, None)
) -> pd.DataFrame:
    """Put the seeds of a model into one line: at each `x` the mean of those that have a value, a row each.

    `seeds` has by the name of a model what it is a seed of; others stay as they are. Measures stay apart, and with `each` the
    lines of a model (`line`, or its languages). Intervals of the means are Student's over seeds, cut off at `bounds`; of one
    seed there is none. `n` is the least.
    """
    own = frame["model"].isin(list(seeds))
    if not own.any():
        return frame
    keys = [x, *(name for name in (*(LINES if each else ()), *MEASURES) if name in frame)]
    made = [frame[~own]]
    for model, rows in frame[own].groupby(frame["model"].map(seeds), sort=False):
        name = name_of_seeds(str(model), rows["model"].nunique())
        made.append(_means(rows, keys, bounds).assign(model=name))
    return pd.concat(made, ignore_index=True)


@in_recipes
def named_by_seeds(frame: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Call the rows of some models by `names`, a row a seed: several are a side of a comparison."""
    return frame.assign(model=frame["model"].map(lambda model: names.get(model, model)))


@in_recipes
def means_of_seeds(
    frame: pd.DataFrame,
    names: Sequence[str],
    keys: Sequence[str],
    bounds: Bounds = (None, None),
    scores: Sequence[str] = ("value",),
) -> pd.DataFrame:
    """Put the rows of these models (`named_by_seeds`) with the same `keys` into one, as `seeds_as_one` does."""
    own = frame["model"].isin(list(names))
    means = _means(frame[own], list(keys), bounds, scores) if own.any() else None
    return frame if means is None else pd.concat([frame[~own], means], ignore_index=True)


@in_recipes
def seeds_as_one(
    frame: pd.DataFrame,
    name: str,
    checkpoints: Mapping[str, str],
    also: Sequence[str] = (),
    bounds: Bounds = (None, None),
    scores: Sequence[str] = ("value",),
) -> pd.DataFrame:
    """Put the cells of several seeds' heatmaps into those of one, called `name`, as `seeds_together` does lines.

    `checkpoints` has by the fingerprint of each that of the seeds' checkpoint in whose column it belongs; rows of others are
    left out. `also` are columns that tell cells apart beside `CELL` and what is measured. A `deviation` is then over seeds.
    Of several `scores` side by side each has an interval where it has columns for one: `NAME_low`, `NAME_high`.
    """
    known = frame[frame["checkpoint"].isin(list(checkpoints))]
    moved = known.assign(model=name, checkpoint=known["checkpoint"].map(checkpoints))
    keys = [each for each in (*MEASURES, *CELL, *also) if each in frame and each not in scores]
    return _means(moved, keys, bounds, scores)


@in_recipes
def differences_of_seeds(
    frame: pd.DataFrame, keys: Sequence[str], side: str, names: Sequence[str], bounds: Bounds = (None, None)
) -> pd.DataFrame:
    """Subtract the mean over the seeds of the second of two sides from that of the first, a row a cell that both have.

    `frame` has the `keys` of a cell, `side`, and a row a seed with its value. Returns the keys, a column a side, `difference`,
    Welch's 95% interval with other seeds of both, cut off at what a difference of two values within `bounds` can be, which
    (`interval`: `seeds`, or nothing where a side has one seed), and its degrees of `freedom`. Source: Welch 1947.
    """
    known = frame[frame[side].isin(list(names))].dropna(subset=["value"]).astype({"value": np.float64})
    sides = [known[known[side] == name].groupby(list(keys), sort=True)["value"] for name in names]
    each = [of.agg(["mean", "count", "std"]).astype(np.float64) for of in sides]  # the deviation of one seed is nan
    both = each[0].join(each[1], how="inner", lsuffix="_first", rsuffix="_second").sort_index()
    mean, count, deviation = (both[[f"{name}_first", f"{name}_second"]].to_numpy().T for name in ("mean", "count", "std"))
    found = welch(mean, count, deviation)
    low, high = within(found.low, found.high, bounds_of_difference(bounds))
    which = np.where(np.isfinite(low), "seeds", "")
    numbers = {"difference": found.value, "low": low, "high": high, "interval": which, "freedom": found.freedom}
    cells = both.index.to_frame(index=False)
    return cells.assign(**dict(zip(names, mean, strict=True)), **numbers)


def _means(rows: pd.DataFrame, keys: list[str], bounds: Bounds, scores: Sequence[str] = ("value",)) -> pd.DataFrame:
    """Return one row for those of several seeds at one place: the first of these, with the mean of all."""
    place = rows.groupby(keys, dropna=False).ngroup().to_numpy()
    order = np.argsort(place, kind="stable")
    rows, place = rows.iloc[order], place[order]
    found = rows[~pd.Series(place, rows.index).duplicated().to_numpy()].reset_index(drop=True)
    if "line" in rows:  # of checkpoints that are called differently it has no name
        found["line"] = found["line"].where(rows["line"].groupby(place).nunique().to_numpy() < 2, "")
    for name in [name for name in COUNTS if name in rows and name not in keys]:
        found[name] = rows[name].groupby(place).agg(COUNTS[name]).to_numpy()
    if "of_seeds" in rows:
        found["of_seeds"] = rows["value"].notna().groupby(place).sum().to_numpy()
    if "deviation" in rows:
        found["deviation"] = rows["value"].groupby(place).std().to_numpy()
    made: dict[str, NDArray[np.float64]] = {}
    for score in scores:
        names = [score, *(("low", "high") if score == "value" else (f"{score}_low", f"{score}_high"))]
        found_ones = _means_of(rows[score].to_numpy(np.float64, na_value=np.nan), place, len(found), bounds)
        made |= {name: values for name, values in zip(names, found_ones.T, strict=True) if name in rows}
    return found.assign(**made)


def _means_of(values: NDArray[np.float64], place: NDArray[np.integer], places: int, bounds: Bounds) -> NDArray[np.float64]:
    """Return the mean of the values at each place, and its interval's ends, [places, 3]; nan where none is known."""
    known, amounts = np.isfinite(values), np.zeros(places, np.int64)
    np.add.at(amounts, place[known], 1)
    found = np.full((places, 3), np.nan)
    for amount in np.unique(amounts[amounts > 0]):  # as many seeds as are there
        mean = mean_of_runs(values[known & (amounts[place] == amount)].reshape(-1, amount))
        found[amounts == amount] = np.stack([mean.value, *within(mean.low, mean.high, bounds)], axis=1)
    return found
