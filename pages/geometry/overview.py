"""Layer × checkpoint heatmaps of a measure, mean over pairs or languages; a click on a cell of pairs opens them."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import geometry as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.pages.geometry.captions import tell
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import recipes
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import colours, cooked, figure
from isogloss.pages.widgets.runs import watched


def draw(selection: Selection) -> None:
    """Draw the measure of each model."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure(selection)
        fitted = colours.fitted("from 0 to 1")
        groups = [group for group in seeds.choose(selection.models) if group.of(selection.computed)]
    recipes_of = {group.name: _recipe(selection, group, metric) for group in groups}
    values = [each for recipe in recipes_of.values() for each in cooked.rows(recipe)["value"].dropna()]
    shared = (min(values), max(values)) if values else None
    for group in groups:
        if selection.layers_of(group.first):
            _draw(selection, group, metric, recipes_of[group.name], shared, fitted)
    seeds.tell(groups)
    tell(selection, metric, "Mean over the pairs of languages" if KINDS[metric].of == "pair" else "Mean over the languages")


def _recipe(selection: Selection, group: Group, metric: str) -> Recipe:
    only = partial(rows_with, metric=[metric], layer=list(selection.layers))
    of = group.of(selection.computed)
    means = group.steps(group.columns(selection.checkpoints), of, bounds_of(metric))
    return recipes.scores(selection.of(metric), abx_queries.grid, only, *means, of=of)


def _draw(
    selection: Selection,
    group: Group,
    metric: str,
    recipe: Recipe,
    ends: tuple[float, float] | None,
    fitted: bool | None,
) -> None:
    """Draw the heatmap of one model; all models share the numbers at the `ends` of the colours, where these are fitted."""
    model, checkpoints = group.first, group.columns(selection.checkpoints)
    layers = selection.layers_of(model)
    drawn = partial(
        figures.layers_by_checkpoints,
        metric=metric,
        layers=layers,
        columns=named_checkpoints(checkpoints, selection.by),
        column_title=checkpoint_axis(checkpoints, selection.by),
        title=group.name,
        ends=ends,
        fitted=fitted,
    )
    custom = [[[model.name, checkpoint.label, layer] for checkpoint in checkpoints] for layer in layers]
    opens = KINDS[metric].of == "pair"

    def on_page(drawn: go.Figure) -> go.Figure:
        marked = watched.marked(drawn, model, checkpoints)
        return clickable(marked, custom) if opens else marked

    title = KINDS[metric].measure.title
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{title} {group.name} layers by checkpoints",
        card=CARDS[metric],
        alt=f"{title} of {group.name} by layer and checkpoint",
        clicks=on_page if opens or watched.newest(model) else False,
    )
    if picked and opens:
        name, checkpoint, layer = picked
        open_cell("Pairs", geometry_of_pair=metric, pair_model=name, pair_checkpoint=checkpoint, pair_layer=int(layer))
