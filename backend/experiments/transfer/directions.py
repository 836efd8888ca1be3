"""Asymmetry and best source of a matrix of transfer directions. Frames in, frames out.

Directions are rows of `transfer_summary.igaps` or `accuracies` (columns `by`, source, target) with the measure as `value`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from isogloss.backend.experiments.transfer import summary as transfer_summary
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Measure = Literal["igap", "accuracy", "gap"]
"""IGap; test accuracy; the cross-lingual transfer gap (Eq. 2 of Chi et al. 2023)."""
HIGHER_IS_BETTER: dict[Measure, bool] = {"igap": False, "accuracy": True, "gap": False}
EQUAL = 1e-12
"""Values closer than this are equal: means of the same errors in another order."""


def asymmetry(directions: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Asymmetry of each direction: `by`, source, target, forth, back, value (`forth - back`).

    A row a direction whose two ways both have a value; a language to itself is left out.
    """
    known = directions.loc[directions["source"] != directions["target"], [*by, "source", "target", "value"]]
    known = known.dropna(subset=["value"])
    back = known.rename(columns={"source": "target", "target": "source", "value": "back"})
    both = known.rename(columns={"value": "forth"}).merge(back, on=[*by, "source", "target"])
    return both.assign(value=both["forth"] - both["back"])


@in_recipes
def difference(directions: pd.DataFrame, by: Sequence[str], first: Sequence[object], second: Sequence[object]) -> pd.DataFrame:
    """Return one model less another: source, target, first, second, value, where both have one. Models are values of `by`."""
    one, other = (
        directions.loc[(directions[list(by)] == list(names)).all(axis=1), ["source", "target", "value"]].dropna()
        for names in (first, second)
    )
    both = one.rename(columns={"value": "first"}).merge(other.rename(columns={"value": "second"}), on=["source", "target"])
    return both.assign(value=both["first"] - both["second"])


def best(directions: pd.DataFrame, by: Sequence[str], *, higher: bool) -> pd.DataFrame:
    """Return the best source of every target, or all of several equally good: the rows of `directions` that are it.

    The target itself is no source, a direction without a value is not ranked, and a target's only source is not its best.
    `higher`: higher values are better.
    """
    able = directions[(directions["source"] != directions["target"]) & directions["value"].notna()]
    grouped = able.groupby([*by, "target"], dropna=False)["value"]
    able = able[grouped.transform("size") > 1]
    grouped = able.groupby([*by, "target"], dropna=False)["value"]
    distance = able["value"] - grouped.transform("max" if higher else "min")
    return able[distance.abs() <= EQUAL].reset_index(drop=True)


@in_recipes
def sources(errors: pd.DataFrame, by: Sequence[str], measure: Measure, at: float, epsilon: float) -> pd.DataFrame:
    """Return every source language of every target, the best first, with its rank and what its value rests on.

    Columns: `by`, target, source, rank, value, deviation, seeds, runs, n, low, high.
    Sources without a value come last, with no rank (nan); equal ones share the better rank. `deviation` is the sample standard
    deviation over seeds, nan with fewer than two: of the accuracy, the gap, or the IGap that each seed's runs have alone (whose
    least over all seeds is `value`). `runs` are those that the value rests on; `low` to `high` is its 95%
    interval over `n` examples. `at` and `epsilon` are the window of IGap.
    """
    keys = [*by, "source", "target"]
    if measure == "igap":
        ranked = _igaps(errors, by, at, epsilon)
    else:
        ranked = transfer_summary.measured(errors, by, measure)
        ranked = ranked.assign(runs=ranked["seeds"])
        if measure == "gap" and len(ranked):
            ranked = ranked.drop(columns="deviation").merge(_gap_deviations(errors, by, ranked), on=keys, how="left")
    ranked = in_order(ranked, by, measure).sort_values([*by, "target", "rank", "source"], ignore_index=True)
    return ranked[[*by, "target", "source", "rank", "value", "deviation", "seeds", "runs", "n", "low", "high"]]


def in_order(rows: pd.DataFrame, by: Sequence[str], measure: Measure) -> pd.DataFrame:
    """Return the rows of other sources than the target with their `rank` among these, as `sources` has it."""
    rows = rows[rows["source"] != rows["target"]]
    value = rows["value"].astype(np.float64).round(12)
    grouped = value.groupby([rows[name] for name in (*by, "target")], dropna=False)
    return rows.assign(rank=grouped.rank(method="min", ascending=not HIGHER_IS_BETTER[measure]))


def leading(ranked: pd.DataFrame, by: Sequence[str], levels: Collection[float] = ()) -> pd.DataFrame:
    """Return the source that leads for each target where one does: the rows of `sources` that are first and told apart.

    From the next: the 95% interval of the lead over examples, from both intervals as of other examples (`difference_ends`),
    leaves out 0, and the lead is more than the larger deviation over seeds, where both have one. From guessing: the first's
    interval lies beyond all `levels`. A target's only source does not lead, nor do several that are equal.
    """
    keys = [*by, "target"]
    ranked = ranked.reindex(columns=[*dict.fromkeys([*ranked, "low", "high"])])  # what was kept before has no intervals
    first, others = ranked[ranked["rank"] == 1], ranked[ranked["rank"] > 1]
    first = first[~first.duplicated(keys, keep=False)]
    following = others[others["rank"] == others.groupby(keys, dropna=False)["rank"].transform("min")]
    rival = {"value": "max", "low": "min", "high": "max", "deviation": "max"}  # equal ones: what is told from the widest
    nexts = following.groupby(keys, dropna=False)[[*rival]].agg(
        {name: partial(getattr(pd.Series, which), skipna=False) for name, which in rival.items()}
    )
    nexts = nexts.reset_index().astype({key: first[key].dtype for key in keys})  # a name that all lack is a float there
    both = first.merge(nexts, on=keys, suffixes=("", " of next"))
    one, other = (tuple(both[f"{name}{end}"].astype(float) for name in ("value", "low", "high")) for end in ("", " of next"))
    higher = one[0] > other[0]
    low, high = difference_ends(one, other, apart=True)
    seeds = np.maximum(both["deviation"].astype(float), both["deviation of next"].astype(float))  # nan where one has one seed
    told = np.where(higher, low > 0, high < 0) & ~((one[0] - other[0]).abs() <= seeds)
    if levels:
        told &= np.where(higher, one[1] > max(levels), one[2] < min(levels))
    return both.loc[told, list(ranked)].reset_index(drop=True)


def _igaps(errors: pd.DataFrame, by: Sequence[str], at: float, epsilon: float) -> pd.DataFrame:
    keys = [*by, "source", "target"]
    igaps = transfer_summary.igaps(errors, by, at, epsilon)
    of_seeds = transfer_summary.igaps(errors, [*by, "seed"], at, epsilon).dropna(subset=["value"])
    spread = of_seeds.groupby(keys, as_index=False, dropna=False).agg(deviation=("value", "std"), seeds=("value", "size"))
    runs = errors.groupby(keys, as_index=False, dropna=False).agg(runs=("run", "nunique"))
    igaps = igaps.merge(spread, on=keys, how="left").merge(runs, on=keys, how="left")
    return igaps.assign(seeds=igaps["seeds"].fillna(0).astype(np.int64))


def _gap_deviations(errors: pd.DataFrame, by: Sequence[str], means: pd.DataFrame) -> pd.DataFrame:
    """Over seeds, of the last models of the learning rate that `means` chose."""
    keys = [*by, "source", "target"]
    last = errors[errors["step"] == errors.groupby("run")["step"].transform("max")]
    last = last.merge(means[[*keys, "learning_rate"]], on=[*keys, "learning_rate"])
    last = last.assign(deviation=last["target_error"] - last["source_error"])
    return last.groupby(keys, as_index=False, dropna=False).agg(deviation=("deviation", "std"))
