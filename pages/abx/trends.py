"""Curves over checkpoints and over layers, with intervals (de Seyssel et al. 2025, figures 2 and 3)."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.charts.curves import BESIDE, curves
from backend.charts.parts.theme import colours_of
from backend.experiments.abx import frames as abx_frames
from backend.experiments.abx import queries as abx_queries
from backend.experiments.frames import rows_with
from pages.abx import cards
from pages.shared.abx import frames
from pages.shared.abx.selection import Selection
from pages.widgets import figure

CARDS = {"abx_language": cards.LANGUAGE, "abx_meaning": cards.MEANING, "retrieval_top1": cards.RETRIEVAL}
MEASURES = {"Language": "abx_language", "Meaning": "abx_meaning", "Retrieval": "retrieval_top1"}


LINES = (
    "Mean: a line a model, over checkpoints the mean of the chosen layers, over layers the last chosen checkpoint. "
    "Each: a line a layer, or a line a checkpoint."
)


def draw(selection: Selection) -> None:
    """Draw a figure a measure; retrieval where asked for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = st.segmented_control("Over", ["Checkpoints", "Layers"], default="Checkpoints", key="over", bind="query-params")
        axis = st.segmented_control(
            "Axis", ["Linear", "Log"], default="Linear", key="axis", bind="query-params", disabled=over == "Layers"
        )
        lines = st.segmented_control("Lines", ["Mean", "Each"], default="Mean", key="lines", bind="query-params", help=LINES)
        retrieval = st.toggle("Retrieval too", key="retrieval", bind="query-params")
    data = frames.grid(selection)
    if data.empty:
        return
    line = partial(abx_frames.over_layers if over == "Layers" else abx_frames.over_checkpoints, each=lines == "Each")
    data = line(data)
    measures = ["abx_language", "abx_meaning", *(["retrieval_top1"] if retrieval else [])]
    # Many lines need the width for their names.
    wide = data[["model", *data.columns.intersection(["line"])]].drop_duplicates().shape[0] > BESIDE
    columns = [st.container()] if wide else st.columns(2)
    for place, metric in enumerate(measures):
        with columns[place % len(columns)]:
            drawn = curves(
                data[data["metric"] == metric],
                x="layer" if over == "Layers" else "step",
                value_title=frames.UNITS[metric],
                title=CARDS[metric].name,
                step_scale="log" if axis == "Log" else "linear",
                colours=colours_of(model.name for model in selection.everything),
                chance=frames.chance(metric),
                height=400,
            )
            figure.show(
                drawn,
                name=f"{CARDS[metric].name} over {(over or 'checkpoints').lower()}",
                data=data[data["metric"] == metric],
                card=CARDS[metric],
                snippet=frames.python(
                    selection, abx_queries.grid, partial(rows_with, metric=[metric], layer=list(selection.layers)), line
                ),
                alt=f"{CARDS[metric].name} over {(over or 'checkpoints').lower()}",
            )
