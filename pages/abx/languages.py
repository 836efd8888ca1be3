"""Language × checkpoint heatmaps, raw and normalised per language (de Seyssel et al. 2025, figures 8 and 9)."""

from __future__ import annotations

from functools import partial
from typing import get_args

import streamlit as st

from backend.charts.languages import Order
from backend.experiments.abx import queries as abx_queries
from backend.experiments.frames import rows_with
from backend.figures import abx as figures
from pages.abx.trends import CARDS
from pages.shared.abx import frames
from pages.shared.abx.selection import Selection
from pages.widgets import figure
from pages.widgets.selecting import checkpoint_axis, named_checkpoints


def draw(selection: Selection) -> None:
    """Draw a heatmap a model and score: mean over each language's pairs and the chosen layers."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        normalised = st.toggle("Each language on its own scale", key="normalised", bind="query-params")
        order: Order = st.selectbox("Order", get_args(Order), key="order", bind="query-params", width=180)
    for model in selection.models:
        data = frames.by_language(selection, model)
        data = data[data["model"] == model.name]  # a checkpoint that two models share is there twice
        checkpoints = selection.checkpoints(model)
        for metric in frames.METRICS:
            one = data[data["metric"] == metric]
            drawn = partial(
                figures.by_language,
                metric=metric,
                languages=list(selection.languages),
                columns=named_checkpoints(checkpoints),
                column_title=checkpoint_axis(checkpoints),
                order=order,
                normalised=normalised,
                model=model.name,
            )
            figure.show(
                drawn,
                name=f"{model.name} {frames.METRICS[metric]} by language",
                data=one,
                card=CARDS[metric],
                recipe=frames.python(
                    selection,
                    abx_queries.by_language,
                    partial(rows_with, metric=[metric]),
                    of=[(model, each) for each in selection.computed(model)],
                    layers=list(selection.layers),
                ),
                alt=f"{frames.METRICS[metric]} of {model.name} by language and checkpoint",
            )
