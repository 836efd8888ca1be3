"""Two variants of XferBench side by side: their values do not compare, the places of their sources do.

Cells are those of `xferbench_frames`, here of two variants, which are kept apart: in no column do values of both stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.xferbench.frames import normalise, of_texts, shared_texts
from isogloss.backend.experiments.xferbench.queries import matrix
from isogloss.backend.metrics import xferbench
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACES = ["source", "name", "group", "first", "first_place", "second", "second_place", "change"]
CELLS = ["source", "name", "group", "text", "first", "second", "difference"]


def common(first: pd.DataFrame, second: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cells of the sources that both variants have, in the target texts that all of these have in both."""
    sources = set(first["source"]) & set(second["source"])
    ours, theirs = (cells[cells["source"].isin(sources)] for cells in (first, second))
    if not sources:
        return ours, theirs
    texts = [text for text in shared_texts(ours) if text in set(shared_texts(theirs))]
    return of_texts(ours, texts), of_texts(theirs, texts)


@in_recipes
def places(first: pd.DataFrame, second: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, str]) -> pd.DataFrame:
    """Return one row per source that both have, the first variant's best first; columns `PLACES`.

    `first` and `second` are the scores over the `common` cells, each in nats of its own variant; `first_place` and
    `second_place` count from 1, equal scores sharing the mean of their places; `change` is how many places the source lies
    lower in the second (negative: higher, that is better).
    """
    ours, theirs = common(first, second)
    if ours.empty:
        return pd.DataFrame(columns=PLACES)
    found = pd.DataFrame({"first": xferbench.score(matrix(ours)), "second": xferbench.score(matrix(theirs))})
    rows = found.rename_axis("source").reset_index()
    rows = rows.assign(
        name=rows["source"].map(names),
        group=rows["source"].map(groups),
        first_place=rows["first"].rank(),
        second_place=rows["second"].rank(),
    )
    rows = rows.assign(change=rows["second_place"] - rows["first_place"])
    return rows.sort_values(["first", "name"], kind="stable", ignore_index=True)[PLACES]


@in_recipes
def cells(first: pd.DataFrame, second: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, str]) -> pd.DataFrame:
    """Return one row per source and target text of the `common` cells; columns `CELLS`.

    `first` and `second` are normalised over these sources, each within its own variant, and `difference` is first less second:
    negative where the source stands better among the others in the first.
    """
    ours, theirs = (normalise(each, names, groups) for each in common(first, second))
    if ours.empty:
        return pd.DataFrame(columns=CELLS)
    joined = ours[["source", "name", "group", "text", "normalised"]].merge(
        theirs[["source", "text", "normalised"]], on=["source", "text"], suffixes=("_first", "_second")
    )
    joined = joined.rename(columns={"normalised_first": "first", "normalised_second": "second"})
    difference = joined["first"].to_numpy(np.float64) - joined["second"].to_numpy(np.float64)
    return joined.assign(difference=difference)[CELLS]
