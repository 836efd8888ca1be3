"""Asymmetry and best source of a matrix of transfer directions. Frames in, frames out.

Directions are rows of `transfer_summary.igaps` or `accuracies` (columns `by`, source, target) with the measure as `value`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from backend.experiments.transfer import summary as transfer_summary
from backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Return every source language of every target, the best first: `by`, target, source, rank, value, deviation, seeds, runs.

    Sources without a value come last, with no rank (nan); equal ones share the better rank. `deviation` is the sample standard
    deviation over seeds, nan with fewer than two: of the accuracy, the gap, or the IGap that each seed's runs have alone (whose
    least over all seeds is `value`). `runs` are those that the value rests on. `at` and `epsilon` are the window of IGap.
    """
    keys = [*by, "source", "target"]
    if measure == "igap":
        ranked = _igaps(errors, by, at, epsilon)
    else:
        ranked = transfer_summary.accuracies(errors, by).rename(columns={measure: "value"})
        ranked = ranked.assign(runs=ranked["seeds"])
        if measure == "gap" and len(ranked):
            ranked = ranked.drop(columns="deviation").merge(_gap_deviations(errors, by, ranked), on=keys, how="left")
    ranked = ranked[ranked["source"] != ranked["target"]]
    value = ranked["value"].astype(np.float64).round(12)
    grouped = [ranked[name] for name in (*by, "target")]
    ranked = ranked.assign(
        rank=value.groupby(grouped, dropna=False).rank(method="min", ascending=not HIGHER_IS_BETTER[measure])
    )
    ranked = ranked.sort_values([*by, "target", "rank", "source"], ignore_index=True)
    return ranked[[*by, "target", "source", "rank", "value", "deviation", "seeds", "runs"]]


def leading(ranked: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the sources that lead for their target: the rows of `sources` that are first, by more than the seeds differ.

    Their lead is the distance to the next; the seeds differ by the larger deviation of first and next. Where one of these has
    one seed, by how much is not known, and any lead counts. A target's only source does not lead, nor do several that are equal
    where there is no next.
    """
    keys = [*by, "target"]
    first, others = ranked[ranked["rank"] == 1], ranked[ranked["rank"] > 1]
    following = others[others["rank"] == others.groupby(keys, dropna=False)["rank"].transform("min")]
    spread = pd.concat([first, following]).groupby(keys, dropna=False)["deviation"].agg(["max", "count", "size"])
    values = [each.drop_duplicates(keys).set_index(keys)["value"] for each in (first, following)]
    leads = pd.DataFrame({"lead": (values[0] - values[1]).abs()}).join(spread).dropna(subset=["lead"])
    within = (leads["count"] == leads["size"]) & (leads["lead"] <= leads["max"])
    return first.merge(leads.index[~within].to_frame(index=False), on=keys).reset_index(drop=True)


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
