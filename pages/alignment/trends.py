"""Curves over layers and over checkpoints, weak and strong, with intervals and the static baseline (figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.charts.curves import shared_range
from isogloss.backend.charts.parts.lines import BESIDE
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.printed import tables as published
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import alignment as figures
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.static.library import StaticSet
from isogloss.pages.alignment import baseline, frames, missing
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import MOST, Selection
from isogloss.pages.widgets.choosing import more, panels, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure

LINES = (
    "Mean: a line a model, the mean of the chosen pairs of languages. Pairs: a line a model and pair. "
    "Of words, a click on a point shows its errors."
)
MASKED = "The same words with and without the mask token in their place, in one figure (figure 8)."


@dataclass(frozen=True)
class Shape:
    """How the curves are drawn."""

    over: str
    log: bool
    by_pair: bool
    panels: bool
    """Each model in its own."""
    value_range: tuple[float, float] | None
    """Where the figures stand side by side."""
    steps: Sequence[partial[pd.DataFrame]]
    """What is made of the scores."""
    seeds: bool
    """Whether some lines are of several models: a point of them is no cell of one."""


def draw(selection: Selection) -> None:
    """Draw weak and strong alignment beside each other, or below where the lines are many."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = segments("Over", ("Layers", "Checkpoints"), "over")
        axis = segments("Axis", ("Linear", "Log"), "axis") if over == "Checkpoints" else "Linear"
        options = more.view_options()
    with options:
        groups = seeds.choose(selection.models)
        apart = panels.choose(groups)
        lines = segments("Lines", ("Mean", "Pairs"), "lines", help_=LINES)
        static = baseline.toggle(selection)
        masked_too = selection.unit == "word" and st.toggle(
            "Masked targets too", key="masked_beside", bind="query-params", help=MASKED
        )
    beside = [_masked_beside(selection)] if masked_too else []
    baseline.offer(selection, static)
    by_pair = lines == "Pairs"
    if by_pair and selection.directions > MOST:
        st.info(
            f"{selection.directions:,} lines cannot be read: choose fewer languages, or the mean.", icon=":material/show_chart:"
        )
        return
    parts: list[frames.Part] = [(each, _drawn(each, over)) for each in [selection, *beside]]
    steps = [partial(alignment_frames.name_pairs)] if by_pair else []
    if beside:
        masked = [variant for each, _ in parts if each.options["masked"] for variant in each.variants]
        steps += [partial(alignment_frames.name_masking, masked=masked)]
    steps += [partial(alignment_frames.over_checkpoints)] if over == "Checkpoints" else []
    steps += seeds.lines(groups, "layer" if over == "Layers" else "step", bounds_of(selection.metric("weak")))
    data = cooked.rows(frames.recipe_of_choices(parts, _query(by_pair), *steps))
    if data.empty:
        frames.say_empty(selection)
        return
    amount = data[["model", *data.columns.intersection(["line"])]].drop_duplicates().shape[0]
    below = apart or amount > BESIDE or (by_pair and static)  # many names take the width of a figure
    columns = [st.container()] * 2 if below else st.columns(2)
    ends = None if below or static else shared_range(data)
    shape = Shape(over, axis == "Log", by_pair, apart, ends, steps, seeds.some(groups))
    for place, measure in zip(columns, figures.MEASURES, strict=True):
        with place:
            _figure(parts, measure, shape, static)
    if beside:
        st.caption(f"Printed: {published.masked()}.")
    seeds.tell(groups)


def _masked_beside(selection: Selection) -> Selection:
    """Return the same choice with masked words (or, where these are chosen, without), to lie beside it: figure 8.

    What it lacks is offered.
    """
    other = selection.with_options(masked=not selection.options["masked"])
    for model in other.models:
        missing.offer(other, model)
    return other


def _figure(parts: Sequence[frames.Part], measure: str, shape: Shape, static: Sequence[StaticSet]) -> None:
    selection, over, by_pair = parts[0][0], shape.over, shape.by_pair
    beside = baseline.steps(selection, measure, static, by_pair=by_pair)
    recipe = frames.recipe_of_choices(parts, _query(by_pair), *shape.steps, *beside, measures=[measure])
    drawn = partial(
        figures.trends,
        measure=measure,
        unit=selection.unit,
        x="layer" if over == "Layers" else "step",
        scale="log" if shape.log else "linear",
        colours=selection.colours,
        value_range=shape.value_range,
        static=baseline.rests(selection, static),
        panels=shape.panels,
        **({} if over == "Layers" else selection.axis),
    )
    clicks = selection.unit == "word" and over == "Layers" and not shape.seeds
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{figures.MEASURES[measure]} of {selection.unit}s over {over.lower()}",
        card=card(selection),
        alt=f"{figures.MEASURES[measure]} of {selection.unit}s over {over.lower()}",
        clicks=clicks,
    )
    if picked:
        model, line, layer = picked
        pair = {"at_pair": str(line).removesuffix(alignment_frames.MASKED)} if by_pair else {}
        open_cell("Errors", at_model=model, at_layer=int(layer), measure=measure, **pair)


def _query(by_pair: bool) -> Callable[..., pd.DataFrame]:
    return alignment_queries.pairs if by_pair else alignment_queries.grid


def _drawn(selection: Selection, over: str) -> list[tuple[Model, Checkpoint]]:
    """Return the checkpoints that have every chosen pair; over layers the last of each model."""
    whole = [(model, selection.complete(model)) for model in selection.models]
    return [(model, each) for model, found in whole for each in (found if over == "Checkpoints" else found[-1:])]
