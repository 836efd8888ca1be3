"""Which sentences find their translations: every direction of every pair, by mean of tokens and by first token (table I)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.grid import Grid, pivot
from backend.charts.heatmap import heatmap_of, pair_of_heatmaps
from backend.charts.languages import Order, arranged, names_of
from backend.experiments.alignment import queries as alignment_queries
from backend.experiments.alignment.sentences import SentenceAlignmentSpec
from backend.experiments.frames import rows_with
from backend.figures.languages import language_table
from pages.alignment import frames
from pages.alignment.cards import card
from pages.alignment.options import VECTORS
from pages.alignment.selection import Selection
from pages.widgets import figure
from pages.widgets.checkpoint_box import checkpoint_of, layer_of


def draw(selection: Selection) -> None:
    """Draw the matrices of both sentence vectors at one layer of a checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
        layer = layer_of(model, "at")
        measure = frames.choose_measure()
        order: Order = st.selectbox("Order", get_args(Order), key="order", bind="query-params", width=160)
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
    spec = selection.spec(model, [checkpoint])
    assert isinstance(spec, SentenceAlignmentSpec)
    variants = {pooling: spec.variant(pooling) for pooling in spec.poolings}
    data = frames.labelled(selection, alignment_queries.pairs, [checkpoint], [measure], list(variants.values()))
    data = data[(data["model"] == model.name) & (data["layer"] == layer)]
    if data.empty:
        frames.say_empty(selection)
        return
    meta = language_table(selection.languages)
    names, groups = arranged(order, _grid(data, variants[spec.poolings[0]], names_of(meta), "", None).values, meta)
    grids = [_grid(data, variants[each], names, VECTORS[each], groups) for each in spec.poolings]
    title = frames.unit_title(selection, measure)
    drawn = _drawn(grids, title, f"{model.name}, {checkpoint.label}, layer {layer}", shared)
    figure.show(
        drawn,
        name=f"{frames.MEASURES[measure]} of sentences {model.name} {checkpoint.label} layer {layer}",
        data=data,
        card=card(selection),
        snippet=frames.python(
            selection,
            alignment_queries.pairs,
            partial(rows_with, layer=[layer]),
            of=[(model, checkpoint)],
            measures=[measure],
            variants=list(variants.values()),
        ),
        alt=f"{frames.MEASURES[measure]} of sentences between every two languages at layer {layer}",
    )


def _drawn(grids: Sequence[Grid], title: str, heading: str, shared: bool) -> go.Figure:
    """Draw the sentence vectors beside each other, or the only one."""
    values = len(grids[0].row_labels) <= 12
    if len(grids) == 1:
        only = replace(grids[0], title=f"{heading}: {grids[0].title}")
        return heatmap_of(only, colour_title=title, row_title="From", column_title="To", chance=None, show_values=values)
    return pair_of_heatmaps(
        *grids,
        colour_titles=(title, title),
        shared_title=title,
        title=heading,
        row_title="From",
        column_title="To",
        shared_scale=shared,
        chance=None,
        show_values=values,
    )


def _grid(data: pd.DataFrame, variant: str, names: dict[str, str], title: str, groups: list[str] | None) -> Grid:
    return pivot(
        data[data["variant"] == variant],
        rows=names,
        columns=names,
        title=title,
        square=True,
        row_groups=groups,
    )
