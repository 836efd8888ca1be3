"""Two models or two checkpoints side by side, with the difference as its own heatmap."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.grid import Grid, pivot
from backend.charts.heatmap import difference_heatmap, pair_of_heatmaps
from backend.models.entry import Checkpoint, Model
from pages.measurements.abx_views import frames
from pages.measurements.abx_views.selection import Selection
from pages.measurements.abx_views.snippets import snippet
from pages.measurements.abx_views.trends import CARDS, MEASURES
from pages.widgets import figure


def draw(selection: Selection) -> None:
    sides = {
        f"{model.name} · {checkpoint.label}": (model, checkpoint)
        for model in selection.models
        for checkpoint in selection.computed(model)
    }
    if len(sides) < 2:
        st.caption("Choose two computed checkpoints or models to compare.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.segmented_control(
            "Compare", ["Models", "Checkpoints"], default="Checkpoints", key="compare", bind="query-params"
        )
        measure = st.segmented_control("Measure", list(MEASURES), default="Meaning", key="measure", bind="query-params")
    metric = MEASURES[measure or "Meaning"]
    if what == "Models":
        _models(selection, metric)
    else:
        _checkpoints(selection, metric, sides)


def _models(selection: Selection, metric: str) -> None:
    """Layer × step of two models, on the steps both have."""
    if len(selection.models) < 2:
        st.caption("Choose a second model in the side bar.")
        return
    first, second = selection.models[:2]
    data = frames.grid(selection)
    data = data[data["metric"] == metric]
    keyed = data.assign(key=data["step"].astype("Float64").astype(str).where(data["step"].notna(), data["label"]))
    keys = [key for key in dict.fromkeys(keyed["key"]) if keyed[keyed["key"] == key]["model"].nunique() == 2]
    if not keys:
        st.caption("The two models have no training step (or checkpoint name) in common. Compare checkpoints instead.")
        return
    layers = [layer for layer in selection.layers if layer <= min(first.layers, second.layers)]
    labels = [f"{float(key):,.0f}" if key.replace(".", "").isdigit() else key for key in keys]
    left, right = (
        pivot(
            keyed[(keyed["model"] == model.name) & keyed["key"].isin(keys) & keyed["layer"].isin(layers)],
            row="layer",
            column="key",
            rows=layers,
            columns=keys,
            row_labels=layers,
            column_labels=labels,
            title=model.name,
        )
        for model in (first, second)
    )
    _draw(selection, left, right, first.name, second.name, metric, ("Layer (0 = input embedding)", "Training step"), data)


def _checkpoints(selection: Selection, metric: str, sides: dict[str, tuple[Model, Checkpoint]]) -> None:
    """Language × layer of two checkpoints."""
    names = list(sides)
    with st.container(horizontal=True):
        first = st.selectbox("First", names, index=0, key="first", bind="query-params", width=360)
        second = st.selectbox("Second", names, index=len(names) - 1, key="second", bind="query-params", width=360)
    meta = selection.meta
    grids, data = [], []
    depth = min(sides[name][0].layers for name in (first, second))
    layers = [layer for layer in selection.layers if layer <= depth]
    for name in (first, second):
        model, checkpoint = sides[name]
        frame = frames.by_language_and_layer(selection, checkpoint.fingerprint)
        frame = frame[(frame["metric"] == metric) & (frame["model"] == model.name) & frame["layer"].isin(layers)]
        data.append(frame)
        grids.append(
            pivot(
                frame,
                row="language",
                column="layer",
                rows=list(meta["tag"]),
                columns=layers,
                row_labels=list(meta["name"]),
                column_labels=layers,
                title=name,
            )
        )
    axes = ("", "Layer (0 = input embedding)")
    _draw(selection, grids[0], grids[1], first, second, metric, axes, pd.concat(data))


def _draw(
    selection: Selection,
    left: Grid,
    right: Grid,
    first: str,
    second: str,
    metric: str,
    axes: tuple[str, str],
    data: pd.DataFrame,
) -> None:
    first_row = "bottom" if axes[0] else "top"
    name = CARDS[metric].name
    pair = pair_of_heatmaps(
        left, right, colour_titles=(name, name), row_title=axes[0], column_title=axes[1], first_row=first_row
    )
    figure.show(
        pair,
        name=f"{name} {first} beside {second}",
        data=data,
        card=CARDS[metric],
        snippet=snippet(selection, "grid"),
        alt=f"{name} of {first} beside {second}",
    )
    drawn = difference_heatmap(
        left,
        right,
        first_name=first,
        second_name=second,
        colour_title=f"Difference in {name.lower()}",
        row_title=axes[0],
        column_title=axes[1],
        title=f"{first} less {second}",
        first_row=first_row,
    )
    figure.show(
        drawn,
        name=f"{name} {first} less {second}",
        data=data,
        card=CARDS[metric],
        snippet=snippet(selection, "grid"),
        alt=f"{name} of {first} less that of {second}",
    )
