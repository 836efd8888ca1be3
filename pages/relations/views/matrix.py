"""Everything computed at the unit against everything else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.correlation_heatmap import correlation_heatmap
from backend.charts.grid import pivot
from backend.charts.languages import order_languages
from backend.charts.parts.text import shorten
from backend.experiments.relations import correlations
from backend.experiments.relations.reading import Question
from pages.relations import cards
from pages.relations.measures import Choice
from pages.relations.selection import UNITS, Picked, Selection
from pages.shared import answers
from pages.widgets import figure
from pages.widgets.choices import select
from pages.widgets.words import plain

LEAST = 2
"""Fewer measures make no matrix."""
ROW, BELOW = 24, 250
"""Pixels that a row needs, and what stands around the rows: the columns' names, one below the other."""
LONGEST = 30
"""Characters of a label: axes cut off what is longer at its end, where variants differ."""


def draw(selection: Selection) -> None:
    """Draw the matrix of correlations, its measures in the order of their clusters."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        statistic = select("Correlation", ["Pearson", "Spearman"], "statistic", width=160)
        given = st.toggle("With typology and covariates", value=False, key="given", bind="query-params")
    choices = [each for each in selection.choices if given or not each.given]
    named = [each for choice in choices for each in labelled(selection, choice)]
    picked = [each for _, each in named]
    names = selection.names(*picked)
    labels = dict(zip(names, (label for label, _ in named), strict=True))
    question = Question(
        unit=selection.unit, along=selection.along, readings=dict(zip(names, (each.reading for each in picked), strict=True))
    )
    data: pd.DataFrame = answers.asked(correlations.all_against_all, question=question, statistic=statistic)
    shown = [name for name in names if np.isfinite(data.loc[data["x"] == name, "value"]).any()]
    if len(shown) < LEAST:
        st.info(
            "No two measures have enough points in common here: choose another unit or model.", icon=":material/join_inner:"
        )
        return
    data = data[data["x"].isin(shown) & data["y"].isin(shown)].reset_index(drop=True)
    if selection.x.scored and selection.unit != "model":
        st.caption(plain(f"All read as the predictor is: {selection.x.where}."))
    drawn = _heatmap(selection, data, shown, labels, str(statistic))
    figure.show(
        drawn,
        name="All measures against all",
        data=data,
        card=cards.MATRIX,
        snippet=answers.python(correlations.all_against_all, question=question, statistic=statistic),
        alt="Correlations of all measures with each other",
    )
    if left := [labels[name] for name in names if name not in shown]:
        st.caption(plain(f"Without enough points in common with another: {', '.join(left)}."))


def labelled(selection: Selection, choice: Choice) -> list[tuple[str, Picked]]:
    """Return the measure in each of its variants, read as the predictor is, with what tells the variants apart in its name."""
    several = [Choice(choice.label, choice.name, choice.words, (each,), None) for each in choice.variants]
    picked = [each for one in (several or [choice]) if (each := selection.pick(one)) is not None]
    if len(picked) < 2:
        return [(choice.label, each) for each in picked]
    parts = [selection.workshop.said(each.choice.variants[0]) for each in picked]
    corpora = [selection.workshop.corpora.get(each.choice.variants[0].corpus or "", "") for each in picked]
    told = [[part for part in own if not all(part in other for other in parts)] for own in parts]
    if len(set(corpora)) > 1:
        told = [[*own, corpus] for own, corpus in zip(told, corpora, strict=True)]
    return [
        (f"{choice.label} ({', '.join(own)})" if own else choice.label, each) for own, each in zip(told, picked, strict=True)
    ]


def _heatmap(selection: Selection, data: pd.DataFrame, names: list[str], labels: dict[str, str], statistic: str) -> go.Figure:
    wide = data.pivot(index="x", columns="y", values="value").reindex(index=names, columns=names)
    by_name = pd.DataFrame({"name": names})
    ordered = [names[i] for i in order_languages("clustering", np.where(np.eye(len(names)) > 0, 1.0, wide.to_numpy()), by_name)]
    called = {name: shorten(labels[name], LONGEST) for name in ordered}
    cells = pivot(data, row="x", column="y", rows=called, columns=called, square=True)
    p = pivot(data.assign(value=data["p"])[["x", "y", "value"]], row="x", column="y", rows=ordered, columns=ordered)
    drawn = correlation_heatmap(
        cells,
        p.values,
        value_title=f"{statistic}'s correlation (−1 to 1; 0 = unrelated)",
        row_title="",
        column_title="",
        n_title=f"{UNITS[selection.unit].replace('Pair', 'Pairs')}",
        show_values=len(names) <= 14,
    )
    drawn.layout.height = max(drawn.layout.height, ROW * len(names) + BELOW)
    return drawn
