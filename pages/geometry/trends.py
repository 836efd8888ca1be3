"""Curves of a measure over checkpoints and over layers, with intervals."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.figures import geometry as figures
from isogloss.pages.geometry.captions import tell
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import recipes
from isogloss.pages.widgets.choosing import panels, seeds
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import figure


def draw(selection: Selection) -> None:
    """Draw the measure's curves, a line a model, or one a layer or a checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure(selection)
        over = segments("Over", ("Checkpoints", "Layers"), "over", "Checkpoints" if selection.is_series else "Layers")
        axis = segments("Axis", ("Linear", "Log"), "axis") if over == "Checkpoints" else "Linear"
        one = "layer" if over == "Checkpoints" else "checkpoint"
        few = over == "Layers" and not selection.is_series
        lines = "Mean" if few else segments("Lines", {"Mean": "Mean", "Each": f"Each {one}"}, "lines")
        groups = seeds.choose(selection.models)
        apart = panels.choose(groups)
    layered = over == "Layers"
    scale: StepAxis = "log" if axis == "Log" else "linear"
    line = partial(abx_frames.over_layers if layered else abx_frames.over_checkpoints, each=lines == "Each")
    chosen = partial(rows_with, metric=[metric], layer=list(selection.layers))
    bounds = KINDS[metric].measure.bounds
    means = seeds.lines(groups, "layer" if layered else "step", bounds, each=lines == "Each")
    recipe = recipes.scores(selection.of(metric), abx_queries.grid, chosen, line, *means)
    drawn = partial(
        figures.trends,
        metric=metric,
        x="layer" if layered else "step",
        scale=scale,
        colours=selection.colours,
        panels=apart,
        **({} if layered else selection.axis),
    )
    title = f"{KINDS[metric].measure.title} over {over.lower()}"
    figure.draw(
        recipe.with_chart(drawn),
        name=title,
        card=CARDS[metric],
        alt=title,
    )
    seeds.tell(groups)
    tell(selection, metric, "Mean over the pairs of languages" if KINDS[metric].of == "pair" else "Mean over the languages")
