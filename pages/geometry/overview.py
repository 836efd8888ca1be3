"""Layer × checkpoint heatmaps of a measure, mean over pairs or languages; a click on a cell of pairs opens them."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.figures import geometry as figures
from isogloss.backend.models.entry import Model
from isogloss.pages.geometry.captions import tell
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import recipes
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.selecting import checkpoint_axis, named_checkpoints
from isogloss.pages.widgets.figures import colours, figure
from isogloss.pages.widgets.runs import watched


def draw(selection: Selection) -> None:
    """Draw the measure of each model."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure()
        fitted = colours.fitted("from 0 to 1")
    for model in selection.models:
        _draw(selection, model, metric, fitted)
    tell(selection, metric, "Mean over the pairs of languages" if KINDS[metric].of == "pair" else "Mean over the languages")


def _draw(selection: Selection, model: Model, metric: str, fitted: bool | None) -> None:
    checkpoints, layers = selection.checkpoints(model), selection.layers_of(model)
    of = [(model, each) for each in selection.computed(model)]
    if not of or not layers:
        return
    drawn = partial(
        figures.layers_by_checkpoints,
        metric=metric,
        layers=layers,
        columns=named_checkpoints(checkpoints, selection.by),
        column_title=checkpoint_axis(checkpoints, selection.by),
        title=model.name,
        fitted=fitted,
    )
    custom = [[[model.name, checkpoint.label, layer] for checkpoint in checkpoints] for layer in layers]
    opens = KINDS[metric].of == "pair"

    def on_page(drawn: go.Figure) -> go.Figure:
        marked = watched.marked(drawn, model, checkpoints)
        return clickable(marked, custom) if opens else marked

    only = partial(rows_with, metric=[metric], layer=list(selection.layers))
    title = KINDS[metric].measure.title
    picked = figure.draw(
        recipes.scores(selection.of(metric), abx_queries.grid, only, of=of).with_chart(drawn),
        name=f"{title} {model.name} layers by checkpoints",
        card=CARDS[metric],
        alt=f"{title} of {model.name} by layer and checkpoint",
        clicks=on_page if opens or watched.newest(model) else False,
    )
    if picked and opens:
        name, checkpoint, layer = picked
        open_cell("Pairs", geometry_of_pair=metric, pair_model=name, pair_checkpoint=checkpoint, pair_layer=int(layer))
