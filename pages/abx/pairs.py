"""The matrix of language pairs at one layer of one checkpoint, and one pair's detail with the sentences it confuses."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pandas as pd
import streamlit as st

from backend.charts.grid import Grid, pivot
from backend.charts.heatmap import pair_of_heatmaps
from backend.charts.languages import Order, arranged, names_of
from backend.charts.parts import hatch
from backend.charts.parts.click import clickable
from backend.experiments.abx import queries as abx_queries
from backend.models.entry import Checkpoint, Model
from pages.abx import detail
from pages.shared.abx import frames
from pages.shared.abx.cards import BOTH
from pages.shared.abx.selection import Selection
from pages.widgets import figure
from pages.widgets.cell import open_cell
from pages.widgets.checkpoint_box import checkpoint_of, layer_of

NOT_CHOSEN = "not chosen"
"""What a pair's cell is called where others are looked at, computed or not."""


def draw(selection: Selection) -> None:
    """Draw the matrices of language and meaning discrimination, and below them one pair."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "pair")
        layer = layer_of(model, "pair")
        order: Order = st.selectbox("Order", get_args(Order), key="order", bind="query-params", width=160)
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
    data = frames.pairs(selection, [checkpoint.fingerprint], [layer])
    data = data[data["model"] == model.name]
    above = st.container()
    pair = detail.choose(selection)  # drawn first: the matrix marks the pair that the select boxes hold
    with above:
        clicked = _matrix(selection, model, checkpoint, layer, data, order, shared, pair)
    if clicked:
        open_cell("Pairs", pair_source=clicked[0], pair_target=clicked[1])
    detail.draw(selection, checkpoint, layer, data, *pair)


def _matrix(
    selection: Selection,
    model: Model,
    checkpoint: Checkpoint,
    layer: int,
    data: pd.DataFrame,
    order: Order,
    shared: bool,
    pair: tuple[str, str],
) -> list[str]:
    """Draw the two matrices, `pair` marked in both; returns the pair clicked now, or nothing."""
    meta = selection.meta
    names, groups = arranged(order, _grid(data, "language", names_of(meta), None).values, meta)
    left, right = (_grid(data, name, names, groups, selection.pairs is not None) for name in ("language", "meaning"))
    tags = list(names)
    drawn = pair_of_heatmaps(
        left,
        right,
        colour_titles=(frames.UNITS["abx_language"], frames.UNITS["abx_meaning"]),
        title=f"{model.name}, {checkpoint.label}, layer {layer}",
        row_title="",
        column_title="",
        shared_scale=shared,
        show_values=len(tags) <= 12,
    )
    if selection.pairs is not None:
        drawn.update_traces(name=NOT_CHOSEN, selector={"name": hatch.NAME})
    custom = [[None if a == b else [a, b] for b in tags] for a in tags]
    return figure.show(
        clickable(drawn, custom, custom, selected=(tags.index(pair[0]), tags.index(pair[1]))),
        name=f"ABX {model.name} {checkpoint.label} layer {layer} language pairs",
        data=data,
        card=BOTH,
        snippet=frames.python(selection, abx_queries.pairs, of=[(model, checkpoint)], layers=[layer]),
        alt=f"Language and meaning discrimination of every pair of languages at layer {layer}",
        clicks=True,
    )


def _grid(data: pd.DataFrame, name: str, names: dict[str, str], groups: list[str] | None, some: bool = False) -> Grid:
    """Return one score as a matrix; where `some` pairs are chosen, a missing one says that it is not."""
    frame = data.rename(columns={name: "value", f"{name}_low": "low", f"{name}_high": "high"})
    frame = frame[["source", "target", "value", "low", "high", "n"]].astype({"value": np.float64})
    cells = pivot(
        frame,
        rows=names,
        columns=names,
        title=f"{name.capitalize()} discrimination",
        symmetric=True,
        row_groups=groups,
    )
    notes = tuple(tuple(NOT_CHOSEN if each else "" for each in row) for row in cells.missing)
    return replace(cells, notes=notes) if some else cells
