"""Everything computed at the unit against everything else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from backend.charts.correlation_heatmap import correlation_heatmap
from backend.charts.grid import pivot
from backend.charts.languages import order_languages
from backend.experiments.relations import correlations
from backend.experiments.relations.reading import Question
from pages.relations import cards, frames
from pages.relations.measures import Choice
from pages.relations.selection import UNITS, Picked, Selection
from pages.widgets import figure
from pages.widgets.choices import select
from pages.widgets.words import plain

GIVEN = 2
"""Fewer measures than this make no matrix."""


def draw(selection: Selection) -> None:
    """Draw the matrix of correlations, its measures in the order of their clusters."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        statistic = select("Correlation", ["Pearson", "Spearman"], "statistic", width=160)
        given = st.toggle("With typology and covariates", value=False, key="given", bind="query-params")
    choices = [each for each in selection.choices if given or not each.given]
    picked = [each for choice in choices for each in variants(selection, choice)]
    names = selection.names(*picked)
    labels = dict(zip(names, _labels(picked), strict=True))
    question = Question(
        unit=selection.unit, along=selection.along, readings=dict(zip(names, (each.reading for each in picked), strict=True))
    )
    data: pd.DataFrame = frames.asked(correlations.all_against_all, question=question, statistic=statistic)
    shown = [name for name in names if np.isfinite(data.loc[data["x"] == name, "value"]).any()]
    if len(shown) < GIVEN:
        st.info(
            "No two measures have enough points in common here: choose another unit or model.", icon=":material/join_inner:"
        )
        return
    data = data[data["x"].isin(shown) & data["y"].isin(shown)].reset_index(drop=True)
    if model := selection.x.scored:
        st.caption(plain(f"{model.model}: {selection.x.where}") if selection.unit != "model" else "A point is a model.")
    drawn = _heatmap(selection, data, shown, labels, str(statistic))
    figure.show(
        drawn,
        name="All measures against all",
        data=data,
        card=cards.MATRIX,
        snippet=frames.python(correlations.all_against_all, question=question, statistic=statistic),
        alt="Correlations of all measures with each other",
    )
    if left := [labels[name] for name in names if name not in shown]:
        st.caption(plain(f"Without enough points in common with another: {', '.join(left)}."))


def variants(selection: Selection, choice: Choice) -> list[Picked]:
    """The measure in each of its variants, read as the predictor is."""
    found = [selection.pick(Choice(choice.label, choice.name, choice.words, (each,), None)) for each in choice.variants]
    return [each for each in (found or [selection.pick(choice)]) if each is not None]


def _labels(picked: list[Picked]) -> list[str]:
    """What each is called on the axes: with its variant where several are there."""
    titles = [each.choice.label for each in picked]
    return [
        title if titles.count(title) == 1 else f"{title} · {each.choice.variants[0].variant}"
        for title, each in zip(titles, picked, strict=True)
    ]


def _heatmap(selection: Selection, data: pd.DataFrame, names: list[str], labels: dict[str, str], statistic: str) -> object:
    wide = data.pivot(index="x", columns="y", values="value").reindex(index=names, columns=names)
    by_name = pd.DataFrame({"name": names})
    ordered = [names[i] for i in order_languages("clustering", np.where(np.eye(len(names)) > 0, 1.0, wide.to_numpy()), by_name)]
    shape = {"row": "x", "column": "y", "rows": ordered, "columns": ordered, "square": True}
    called = [labels[name] for name in ordered]
    cells = pivot(data, **shape, row_labels=called, column_labels=called)  # type: ignore[arg-type]
    p = pivot(data.assign(value=data["p"])[["x", "y", "value"]], **shape)  # type: ignore[arg-type]
    return correlation_heatmap(
        cells,
        p.values,
        value_title=f"{statistic}'s correlation (−1 to 1; 0 = unrelated)",
        row_title="",
        column_title="",
        n_title=f"{UNITS[selection.unit].replace('Pair', 'Pairs')}",
        show_values=len(names) <= 14,
    )
