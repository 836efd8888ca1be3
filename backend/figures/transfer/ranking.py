"""How well scores rank transfer directions, and sources for a target (Chi et al. 2023, tables 1 and 5): bars."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.bars import grouped_bars
from isogloss.backend.charts.distributions import counted
from isogloss.backend.charts.parts.theme import colours_of, empty
from isogloss.backend.charts.ranked import ranked_bars
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.transfer.answers import answer
from isogloss.backend.experiments.transfer.ranking import AVERAGE
from isogloss.backend.experiments.words import count
from isogloss.backend.recipe_mark import in_recipes

TITLE = "Accuracy of ranked transfer directions (percent, higher = better)"
COLOURS = colours_of(("IGap", "L2", "Dot", "Cos"))
MOST = 30
"""Languages whose bars stand side by side with their names below: twice those of the paper."""


@in_recipes
def accuracies(rows: pd.DataFrame, *, title: str) -> go.Figure:
    """Draw a group of bars a fixed language, a bar a score; the average stands last. `rows` are `transfer_ranking.ranking`.

    Of more languages than have room (`MOST`), draw how many have which accuracy, with the average of each score.
    """
    of_languages = _by_score(rows[rows["language"] != AVERAGE])
    if of_languages["language"].nunique() > MOST:
        shares = {str(score): 100 * own["value"].to_numpy(float) for score, own in of_languages.groupby("score", sort=False)}
        edges = [5.0 * end for end in range(21)]
        return counted(shares, edges, x_title=TITLE, y_title="Languages at the fixed end", chance=50.0, title=title)
    return _bars(rows, title, n="directions", n_title="Directions")


@in_recipes
def printed(rows: pd.DataFrame, *, title: str) -> go.Figure:
    """Draw the accuracies that the paper prints in table 1; `rows` are `printed.ranking_accuracies`."""
    return _bars(rows[rows["table"] == "table 1"], title)


def _bars(rows: pd.DataFrame, title: str, **counts: Any) -> go.Figure:
    return grouped_bars(
        _by_score(rows),
        group="language",
        kind="score",
        groups=[*sorted(set(rows["language"]) - {AVERAGE}), AVERAGE],
        names=_names(rows),
        value_title=TITLE,
        title=title,
        colours=COLOURS,
        **counts,
    )


def _by_score(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values("score", key=lambda names: names.map(list(COLOURS).index), kind="stable", ignore_index=True)


def _names(rows: pd.DataFrame) -> dict[str, str]:
    """Return the languages' names, with the number of pairs of directions that each accuracy is of, where it is known."""
    names = {tag: "Average" if tag == AVERAGE else language(tag).name for tag in set(rows["language"])}
    if "directions" not in rows:
        return names
    pairs = rows.groupby("language")["directions"].max().map(lambda n: int(n) * (int(n) - 1) // 2)
    pairs[AVERAGE] = pairs.drop(AVERAGE, errors="ignore").sum()
    return {tag: f"{name}, {count(int(pairs[tag]), 'pair')}" for tag, name in names.items()}


@in_recipes
def sources(rows: pd.DataFrame, *, target: str, measure: str, unit: str, model: str, levels: Mapping[str, float]) -> go.Figure:
    """Draw a bar a source language of one target, the best on top, in colour where it is told from the next and from a guess.

    `rows` are those of `transfer_directions.sources`, with `percent`; `levels` what guessing gives, in percent.
    """
    title = f"{model}: sources for {language(target).name}"
    if rows.empty:
        return empty("No source has a value.", title=title)
    leader = answer(rows, [level / 100 for level in levels.values()])
    whiskers = bool(rows["deviation"].notna().any())
    return ranked_bars(
        [language(tag).name for tag in rows["source"]],
        rows["percent"],
        value_title=f"{measure} in {language(target).name} ({unit})"
        + ("; whiskers: standard deviation over seeds" if whiskers else ""),
        best=list((rows["rank"] == 1) & leader.told),
        levels=levels,
        deviations=100 * rows["deviation"],
        notes=[_basis(row) for row in rows.to_dict("records")],
        title=title,
    )


def _basis(row: Mapping[Hashable, Any]) -> str:
    """Return what a value rests on: seeds, and its interval over examples (rows kept before it was there have none)."""
    text = count(int(row["seeds"]), "seed")
    if row["deviation"] == row["deviation"]:
        text += f", deviation {100 * row['deviation']:.1f}"
    if "low" in row and row["low"] == row["low"]:
        text += f", 95% interval {100 * row['low']:.1f} to {100 * row['high']:.1f}, n = {row['n']:,.0f}"
    return text
