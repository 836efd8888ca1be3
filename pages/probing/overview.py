"""Layer × checkpoint heatmaps of a probe's score, of a language or the mean; a click on a cell opens what was told wrongly."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.grid import pivot
from backend.charts.heatmap import heatmap_of
from backend.charts.parts.click import clickable
from backend.experiments.probing import queries
from backend.experiments.probing.spec import LEARNED, MEAN
from backend.models.entry import Model
from pages.probing import frames
from pages.probing.cards import CARDS
from pages.probing.frames import Part
from pages.probing.selection import Selection
from pages.widgets import figure, notebook
from pages.widgets.cell import open_cell
from pages.widgets.selecting import checkpoint_axis, named_checkpoints

MIXES = {MEAN: "mean", LEARNED: "mix"}
"""Rows above the layers, by the names that have room at an axis."""


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: layers and mixes of them × checkpoints."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        sources, targets, shown = frames.choose_pair(selection)
    if metric in frames.OWN and targets:
        st.caption("Of the language trained on alone: the mean of those that are tested in it too.")
    drawn = [_model(selection, model, metric, sources, targets, shown) for model in selection.models]
    if not any(drawn):
        frames.say_empty()
        return
    st.caption("mean: one probe of the mean of all layers; mix: of their learned mix. Click on a cell: what it told wrongly.")


def _model(
    selection: Selection, model: Model, metric: str, sources: tuple[str, ...], targets: tuple[str, ...], shown: str
) -> bool:
    """Draw the heatmap of one model; whether there was anything to draw."""
    wanted = frames.part(selection, of=[model], sources=sources, targets=targets)
    if not wanted.of:
        return False
    data, snippet = _rows(wanted, metric)
    if data.empty:
        return False
    checkpoints = selection.checkpoints(model)
    layers = [layer for layer in selection.layers if layer <= model.layers]
    there = set(data["layer_name"])
    names = {f"layer {layer}": str(layer) for layer in layers} | {mix: short for mix, short in MIXES.items() if mix in there}
    cells = pivot(
        data,
        row="layer_name",
        column="checkpoint",
        rows=names,
        columns=named_checkpoints(checkpoints),
        title=f"{model.name}: {shown}",
    )
    drawn = heatmap_of(
        cells,
        colour_title=frames.title(selection, metric),
        row_title="Layer (0 = input embedding)",
        column_title=checkpoint_axis(checkpoints),
        chance=None,
        n_title=f"{selection.data.rows.capitalize()} at least",
        first_row="bottom",
        form=frames.form(metric),
    )
    custom = [[[model.name, each.label, name] for each in checkpoints] for name in names]
    picked = figure.show(
        clickable(drawn, custom),
        name=f"{frames.MEASURES[metric]} {model.name} {shown} layers by checkpoints",
        data=data,
        card=CARDS[metric],
        snippet=snippet,
        alt=f"{frames.MEASURES[metric]} of {model.name} by layer and checkpoint, {shown}",
        clicks=True,
    )
    if picked:
        name, checkpoint, probe = picked
        ends = {"pair_source": sources[0], "pair_target": (targets or sources)[0]}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, at_probe=probe, **ends)
    return True


def _rows(wanted: Part, metric: str) -> tuple[pd.DataFrame, str]:
    """Return the rows of a heatmap, and the Python for them."""
    steps = frames.steps_to(wanted.selection, *MIXES)
    found = notebook.apply(frames.rows(wanted, queries.grid, [metric]), *steps)
    return found, frames.python(wanted, queries.grid, [metric], *steps)
