"""From XferBench's cells to what its figures show: a leaderboard of the sources, and cells normalised for each target.

Cells are rows source × target text with `source`, `corpus`, `target` and `value` (nats per token), as
`backend.experiments.xferbench.queries.cross_entropies` gives them for one variant. Two variants compare in no way:
never join them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.sources.queries import score_files
from isogloss.backend.experiments.sources.same_texts import same_texts
from isogloss.backend.experiments.xferbench.queries import cross_entropies, matrix
from isogloss.backend.metrics import xferbench
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path


MOST_BLOCKS = 1000
"""Sets of target texts that are looked at: sources that lack each another could have millions in common."""


def texts(cells: pd.DataFrame) -> pd.Series:
    """Return each row's target text, `<corpus>/<tag>`: another text of the same language is another target."""
    return cells["corpus"] + "/" + cells["target"]


def shared_texts(cells: pd.DataFrame) -> list[str]:
    """Return the target texts that every source has a value for, in alphabetic order: means over these compare."""
    frame = matrix(cells)
    return [str(text) for text in frame.columns if np.isfinite(frame[text].to_numpy(np.float64)).all()]


def largest_block(cells: pd.DataFrame, source: str, text: str | None = None) -> pd.DataFrame:
    """Return the cells of the largest block, sources × target texts, that lacks none and holds `source` (at `text`).

    Blocks of two sources and more come first, then those of most cells, then those of most sources.
    """
    there = {key: frozenset(rows) for key, rows in texts(cells).groupby(cells["source"])}
    shared = [there[source]]  # sets of texts that some sources have in common
    for row in sorted(set(there.values()), key=sorted):
        if text is None or text in row:
            shared = list(dict.fromkeys([*shared, *(each & row for each in shared if each & row)]))[:MOST_BLOCKS]

    def members(block: frozenset[str]) -> list[str]:
        return [key for key, row in there.items() if block <= row]

    def rank(block: frozenset[str]) -> tuple[bool, int, int]:
        sources = len(members(block))
        return sources > 1, len(block) * sources, sources

    best = max(shared, key=rank)
    return of_texts(cells[cells["source"].isin(members(best))], sorted(best))


def opening_block(cells: pd.DataFrame, source: str, text: str) -> pd.DataFrame:
    """Return the block that a leaderboard opens on: the largest that holds `source` at `text`.

    Where no other source was scored at `text`, there is nothing to compare there: then it is the largest that holds `source`.
    """
    block = largest_block(cells, source, text)
    return block if block["source"].nunique() > 1 else largest_block(cells, source)


def of_texts(cells: pd.DataFrame, chosen: list[str]) -> pd.DataFrame:
    """Return the cells of these target texts."""
    return cells[texts(cells).isin(chosen)].reset_index(drop=True)


@in_recipes
@depends_on(score_files)
def cells_of(workspaces: Sequence[Path], variant: str, sources: Collection[str], texts: Sequence[str]) -> pd.DataFrame:
    """Read the scores of a variant (`queries.cross_entropies`) from these sources to these texts, in whichever corpus."""
    cells, same = cross_entropies(workspaces, variant), same_texts(workspaces)
    return of_texts(cells[cells["source"].isin(list(sources))], [same.get(text, text) for text in texts])


@in_recipes
def leaderboard(
    cells: pd.DataFrame,
    names: Mapping[str, str],
    groups: Mapping[str, str],
    seed: int = 0,
    method: xferbench.Method = "student",
) -> pd.DataFrame:
    """Return one row per source, the best first: source, name, group, score, low, high (95%), targets, seeds.

    `names` and `groups` are those of the sources, `method` that of the intervals ("bca": the paper's, appendix E). Sources that
    lack one of the targets in `cells` have no score and stand last.
    `seeds` is how many trainings the least repeated cell is the mean of; nan where that is not told.
    Raises `ValueError` where a source has two values for one text.
    """
    found = xferbench.confidence_intervals(matrix(cells), seed, method=method)
    rows = found.rename(columns={"n": "targets"}).rename_axis("source").reset_index()
    seeds = cells.groupby("source")["seeds"].min() if "seeds" in cells else pd.Series(dtype=float)
    rows = rows.assign(
        name=rows["source"].map(names), group=rows["source"].map(groups), seeds=rows["source"].map(seeds).astype(float)
    )
    rows = rows.sort_values(["score", "name"], kind="stable", ignore_index=True)
    return rows[["source", "name", "group", "score", "low", "high", "targets", "seeds"]]


@in_recipes
def normalise(cells: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, str]) -> pd.DataFrame:
    """Normalise the cells: adds `name`, `group`, `text`, and `normalise`, in standard deviations from the text's mean."""
    frame = xferbench.normalise(matrix(cells)).rename_axis(index="source").reset_index()
    long = frame.melt(id_vars="source", var_name="text", value_name="normalised")
    named = cells.assign(name=cells["source"].map(names), group=cells["source"].map(groups), text=texts(cells))
    return named.merge(long, on=["source", "text"], how="left")
