"""Curves over checkpoints and over layers, with intervals (de Seyssel et al. 2025, figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.curves import shared_range
from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.charts.parts.lines import BESIDE
from isogloss.backend.charts.parts.theme import CHANCE
from isogloss.backend.experiments.abx import against as steps
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import abx as figures
from isogloss.pages.abx import against, cards, controls, spread
from isogloss.pages.abx.against import Against
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import more, panels, seeds
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure

CARDS = {"abx_language": cards.LANGUAGE, "abx_meaning": cards.MEANING, "retrieval_top1": cards.RETRIEVAL}
MEASURES = {"Language": "abx_language", "Meaning": "abx_meaning", "Retrieval": "retrieval_top1"}


LINES = (
    "Mean: a line a model, over checkpoints the mean of the chosen layers, over layers the last chosen checkpoint. "
    "Each layer, each checkpoint: a line for each of them."
)


def draw(selection: Selection) -> None:
    """Draw a figure a measure; retrieval where asked for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = segments("Over", ("Checkpoints", "Layers"), "over", "Checkpoints" if selection.is_series else "Layers")
        axis = segments("Axis", ("Linear", "Log"), "axis") if over == "Checkpoints" else "Linear"
        one = "layer" if over == "Checkpoints" else "checkpoint"
        few = over == "Layers" and not selection.is_series
        lines = "Mean" if few else segments("Lines", {"Mean": "Mean", "Each": f"Each {one}"}, "lines", help_=LINES)
        options = more.view_options()
    with options:
        groups = seeds.choose(selection.models)
        apart = panels.choose(groups)
        retrieval = st.toggle("Retrieval too", key="retrieval", bind="query-params")
        held = against.choose(selection)
    against.offer(selection, held)
    layered, each = over == "Layers", lines == "Each"
    if selection.options["baseline"]:
        controls.offer(selection)
    measures = ["abx_language", "abx_meaning", *(["retrieval_top1"] if retrieval else [])]
    made = {metric: _recipe(selection, metric, layered, each, held, groups) for metric in measures}
    data = cooked.rows(made[measures[0]])
    if data.empty:
        return
    # Many lines need the width for their names.
    wide = apart or data[["model", *data.columns.intersection(["line"])]].drop_duplicates().shape[0] > BESIDE
    columns = [st.container()] if wide else st.columns(2)
    beside = None if wide else shared_range(*(cooked.rows(made[metric]) for metric in measures[:2]), at_least=[CHANCE])
    for place, metric in enumerate(measures):
        with columns[place % len(columns)]:
            scale: StepAxis = "log" if axis == "Log" else "linear"
            ends = beside if metric in measures[:2] else None
            _figure(selection, metric, made[metric], "layer" if layered else "step", scale, ends, apart=apart)
    seeds.tell(groups)
    if selection.options["subsamples"] > 1:
        spread.draw(selection)


def _recipe(selection: Selection, metric: str, over_layers: bool, each: bool, held: Against, groups: Sequence[Group]) -> Recipe:
    """Return the recipe of the lines of a measure, with its controls where they are asked for, a line a group."""
    means = seeds.lines(groups, "layer" if over_layers else "step", bounds_of(metric), each=each)
    return _lines(selection, metric, over_layers, each, held).then(*means)


def _lines(selection: Selection, metric: str, over_layers: bool, each: bool, held: Against) -> Recipe:
    if selection.options["baseline"] and metric in figures.METRICS:
        recipe = controls.recipe(selection, metric, over_layers, each)
    else:
        line = partial(abx_frames.over_layers if over_layers else abx_frames.over_checkpoints, each=each)
        only = partial(rows_with, metric=[metric], layer=list(selection.layers))
        recipe = recipes.scores(selection, abx_queries.grid, only, line)
    if held.sources and metric in figures.METRICS:
        return recipe.then(held.step(steps.as_lines, selection, selection.layers, over_layers=over_layers))
    return recipe


def _figure(
    selection: Selection,
    metric: str,
    recipe: Recipe,
    x: Literal["step", "layer"],
    scale: StepAxis,
    value_range: tuple[float, float] | None,
    *,
    apart: bool,
) -> None:
    with_controls = "control" in cooked.rows(recipe).columns
    drawn = partial(
        figures.trends,
        metric=metric,
        x=x,
        scale=scale,
        colours=selection.colours,
        value_range=value_range,
        controls=controls.STYLES if with_controls else None,
        panels=apart,
        **(selection.axis if x == "step" else {}),
    )
    along = "layers" if x == "layer" else "checkpoints"
    title = f"{CARDS[metric].name} over {along}"
    figure.draw(recipe.with_chart(drawn), name=title, card=CARDS[metric], alt=title)
    if with_controls:
        rows = cooked.rows(recipe)
        if selection.options["baseline"]:
            controls.tell(metric, rows)
        against.tell(rows, dashes=True)
