"""Layer × checkpoint heatmaps of weak and strong alignment, to be laid beside ABX; a click on a cell opens what goes wrong."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import alignment as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.pages.alignment import frames
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.shared.abx import heatmaps as abx_heatmaps
from isogloss.pages.shared.abx.selection import computed_of
from isogloss.pages.widgets.choosing import more, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import colours, cooked, figure
from isogloss.pages.widgets.runs import watched


def draw(selection: Selection) -> None:
    """Draw weak and strong alignment of each model, the ABX scores below where wanted."""
    with more.view_options():
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
        fitted = colours.fitted("from 0 to 1", disabled=not shared)
        beside = st.toggle(
            "ABX below", key="abx", bind="query-params", help="The same checkpoints' ABX scores, where computed."
        )
        groups = seeds.choose(selection.models)
    recipes = [_recipe(selection, group) for group in groups]
    if all(cooked.rows(recipe).empty for recipe in recipes):
        frames.say_empty(selection)
    other = computed_of(selection, prefixes=selection.prefixes) if beside else None
    for group, recipe in zip(groups, recipes, strict=True):
        _heatmaps(selection, group, recipe, shared, fitted)
        if other is not None and group.of(other.computed):
            abx_heatmaps.of_group(other, group, shared, clicks=False)
    seeds.tell(groups)


def _recipe(selection: Selection, group: Group) -> Recipe:
    """Return the recipe of the rows of one model's heatmaps."""
    complete = group.of(selection.complete)
    steps = group.steps(group.columns(selection.checkpoints), complete, bounds_of(selection.metric("weak")))
    return frames.recipe(selection, alignment_queries.grid, *steps, of=complete)


def _heatmaps(selection: Selection, group: Group, recipe: Recipe, shared: bool, fitted: bool | None) -> None:
    model, checkpoints = group.first, group.columns(selection.checkpoints)
    layers = selection.layers_of(model)
    if not checkpoints or not layers or cooked.rows(recipe).empty:
        return
    drawn = partial(
        figures.layers_by_checkpoints,
        unit=selection.unit,
        layers=layers,
        columns=named_checkpoints(checkpoints, selection.by),
        column_title=checkpoint_axis(checkpoints, selection.by),
        title=group.name,
        shared=shared,
        fitted=fitted,
    )
    custom = [[[model.name, checkpoint.label, layer] for checkpoint in checkpoints] for layer in layers]
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"Alignment of {selection.unit}s {group.name} layers by checkpoints",
        card=card(selection),
        alt=f"Weak and strong alignment of {group.name} by layer and checkpoint",
        clicks=lambda drawn: clickable(watched.marked(drawn, model, checkpoints), custom, custom),
    )
    if picked:
        name, checkpoint, layer = picked
        view = "Errors" if selection.unit == "word" else "Matrix"
        open_cell(view, at_model=name, at_checkpoint=checkpoint, at_layer=int(layer))
