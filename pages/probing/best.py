"""The layer of each language's best score at every checkpoint: language × checkpoint, coloured by the layer's number."""

from __future__ import annotations

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.grid import pivot
from backend.charts.heatmap import heatmap_of
from backend.charts.parts.click import clickable
from backend.experiments.frames import rows_with
from backend.experiments.probing import frames as probing_frames
from backend.experiments.probing import queries
from backend.figures.languages import language_table
from backend.models.entry import Model
from pages.probing import frames, languages
from pages.probing.cards import CARDS
from pages.probing.frames import Part
from pages.probing.selection import Selection
from pages.widgets import figure, notebook
from pages.widgets.cell import open_cell
from pages.widgets.selecting import checkpoint_axis, language_name, named_checkpoints


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: the language tested in × checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        source = languages.choose_source(selection, metric)
    drawn = [_model(selection, model, metric, source) for model in selection.models]
    if not any(drawn):
        frames.say_empty()
        return
    st.caption(
        "Of all layers of a model, whichever are chosen; of equal ones the lowest. Layers whose intervals overlap may swap."
    )


def _model(selection: Selection, model: Model, metric: str, source: str | None) -> bool:
    """Draw the heatmap of one model; whether there was anything to draw."""
    wanted = languages.part_of(selection, model, source)
    if not wanted.of:
        return False
    steps = partial(rows_with, metric=[metric]), partial(probing_frames.layers_as_values)
    data = notebook.apply(frames.rows(wanted, queries.best_layers, [metric]), *steps)
    if data.empty:
        return False
    trained = "" if source is None else f", trained on {language_name(source)}"
    picked = figure.show(
        _drawn(wanted, model, metric, data, f"{model.name}{trained}: layer of the best score"),
        name=f"Best layer {frames.MEASURES[metric]} {model.name}{trained}",
        data=data,
        card=CARDS[metric],
        snippet=frames.python(wanted, queries.best_layers, [metric], *steps),
        alt=f"Layer at which {model.name} has the best {frames.within(frames.MEASURES[metric])}, by language and checkpoint",
        clicks=True,
    )
    if picked:
        name, checkpoint, tag, layer = picked
        ends = {"pair_source": source or tag, "pair_target": tag}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, at_probe=f"layer {layer}", **ends)
    return True


def _drawn(wanted: Part, model: Model, metric: str, data: pd.DataFrame, title: str) -> go.Figure:
    """Return the heatmap, the layer's number in every cell, its cells to be clicked."""
    checkpoints = wanted.selection.checkpoints(model)
    meta = language_table(tuple(wanted.targets or wanted.sources))
    tags = dict(zip(meta["tag"], meta["name"], strict=True))
    columns, by = named_checkpoints(checkpoints), frames.title(wanted.selection, metric)
    drawn = heatmap_of(
        pivot(data, row="target", column="checkpoint", rows=tags, columns=columns, title=title),
        colour_title=f"Best layer, 0 = input embedding, by {frames.within(by)}",
        row_title="Language tested in",
        column_title=checkpoint_axis(checkpoints),
        range=(0.0, float(model.layers)),
        chance=None,
        show_values=True,
        n_title=wanted.selection.data.rows.capitalize(),
        form=".0f",
    )
    layers = dict(zip(zip(data["target"], data["checkpoint"], strict=True), data["value"].astype(int).tolist(), strict=True))
    custom = [
        [
            [model.name, each.label, tag, layers[tag, each.fingerprint]] if (tag, each.fingerprint) in layers else None
            for each in checkpoints
        ]
        for tag in tags
    ]
    return clickable(drawn, custom)
