"""Meaning against language and against retrieval over the pairs, and over checkpoints (figures 6 and 7)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.charts.parts.theme import colours_of
from backend.charts.scatter import correlation_over_checkpoints, pairs_scatter
from backend.experiments.abx import correlations as abx_correlations
from backend.experiments.abx import queries as abx_queries
from backend.experiments.abx.printed import tables as published
from backend.experiments.frames import place_checkpoints
from backend.metrics.correlation import pearson, spearman
from pages.abx import cards, printed
from pages.shared.abx import frames
from pages.shared.abx.cards import BOTH
from pages.shared.abx.selection import Selection
from pages.widgets import figure
from pages.widgets.card import Card
from pages.widgets.checkpoint_box import checkpoint_of

METRICS = {"language": "abx_language", "meaning": "abx_meaning", "retrieval": "retrieval_top1"}
TITLES = {
    "language": "Meaning against language discrimination",
    "retrieval": "Meaning discrimination against retrieval",
}


def draw(selection: Selection) -> None:
    """Draw both scatters over the pairs of one checkpoint, and the correlation over all checkpoints."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "pair")
        fit = st.toggle("Line of best fit", key="fit", bind="query-params")
        paper = printed.toggle(selection, model)
        axis = st.segmented_control("Axis", ["Linear", "Log"], default="Linear", required=True, key="axis", bind="query-params")
    beside = [printed.beside_pairs(), printed.beside_retrieval()] if paper else [[], []]
    python = frames.python(selection, abx_queries.pairs, of=[(model, checkpoint)], layers=list(selection.layers))
    data = frames.pairs(selection, [checkpoint.fingerprint], selection.layers)
    data = data[data["model"] == model.name]
    left, right = st.columns(2)
    with left:
        _scatter(selection, data, "language", "meaning", fit, beside[0], BOTH, python)
    with right:
        _scatter(selection, data, "retrieval", "meaning", fit, beside[1], cards.RETRIEVAL, python)
    over = frames.correlations(selection)
    drawn = correlation_over_checkpoints(
        place_checkpoints(over).assign(line=over["statistic"]),
        title="Correlation of language with meaning discrimination over the pairs",
        step_scale="log" if axis == "Log" else "linear",
        colours=colours_of(each.name for each in selection.everything),
    )
    figure.show(
        printed.over_checkpoints(drawn) if paper else drawn,
        name="Correlation of language and meaning discrimination over checkpoints",
        data=over,
        card=BOTH,
        snippet=frames.python(
            selection,
            abx_queries.pairs,
            through=[partial(abx_correlations.over_checkpoints)],
            layers=list(selection.layers),
        ),
        alt="Correlation of language with meaning discrimination over checkpoints",
    )
    with st.expander("Printed in the paper: XLM-R base, 36 languages of WMT24++", icon=":material/menu_book:"):
        st.dataframe(published.correlations(), hide_index=True)
        st.page_link(
            "pages/relations/page.py",
            label="Regressions, other layers on either axis, and any other measure: Relations",
            icon=":material/scatter_plot:",
        )


def _scatter(
    selection: Selection,
    data: pd.DataFrame,
    x: str,
    y: str,
    fit: bool,
    paper: list[str],
    card: Card,
    python: Recipe,
) -> None:
    points = data.assign(x=data[x], y=data[y])
    title = TITLES[x]
    drawn = pairs_scatter(
        points,
        x_title=frames.UNITS[METRICS[x]],
        y_title=frames.UNITS[METRICS[y]],
        title=title,
        pearson=pearson(points["x"].to_numpy(), points["y"].to_numpy()).value,
        spearman=spearman(points["x"].to_numpy(), points["y"].to_numpy()).value,
        fit=fit,
        printed=paper,
        colours=colours_of(model.name for model in selection.everything),
        height=430,
    )
    figure.show(
        drawn,
        name=title,
        data=data,
        card=card,
        snippet=python,
        alt=title,
    )
