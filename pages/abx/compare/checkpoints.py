"""Two checkpoints, of one model or of two, on one corpus: language × layer."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.charts.languages import names_of
from backend.experiments.abx import frames as abx_frames
from backend.experiments.abx import queries as abx_queries
from backend.experiments.frames import rows_with
from backend.figures.abx import LAYER
from backend.figures.abx_compare import Layout
from backend.models.entry import Checkpoint, Model
from pages.abx.compare import side_by_side
from pages.shared.abx import frames
from pages.shared.abx.selection import Selection
from pages.widgets.choices import select

JOINT = " · "


def draw(selection: Selection, metric: str) -> None:
    """Compare two checkpoints in `metric`, a column a layer, up to the depth of the shallower model."""
    able = {
        f"{model.name}{JOINT}{checkpoint.label}": (model, checkpoint)
        for model in selection.models
        for checkpoint in selection.computed(model)
    }
    if len(able) < 2:
        st.caption("Choose two computed checkpoints or models to compare.")
        return
    first, second = _choose(list(able))
    if first == second:
        st.caption("These are the same checkpoint. Choose another as the second.")
        return
    chosen = [able[first], able[second]]
    depth = min(model.layers for model, _ in chosen)
    layers = [layer for layer in selection.layers if layer <= depth]
    data = pd.concat([_scores(selection, metric, layers, *each) for each in chosen])
    data = data.sort_values(["model", "position"], kind="stable", ignore_index=True)
    layout = Layout(
        row="language",
        column="layer",
        rows=names_of(selection.meta),
        columns={layer: str(layer) for layer in layers},
        row_title="Language",
        column_title=LAYER,
        first_row="top",
    )
    only, named = partial(rows_with, metric=[metric], layer=layers), partial(abx_frames.sides_by_checkpoint, joint=JOINT)
    code = partial(frames.python, selection, abx_queries.by_language_and_layer, only, named, of=chosen)
    side_by_side.draw(data, (first, second), layout, metric, code)


def _choose(names: list[str]) -> tuple[str, str]:
    """Two names; the first and the last where the URL has none."""
    with st.container(horizontal=True):
        first = select("First", names, "first", width=360)
        second = select("Second", names, "second", index=len(names) - 1, width=360)
    return first, second


def _scores(selection: Selection, metric: str, layers: list[int], model: Model, checkpoint: Checkpoint) -> pd.DataFrame:
    frame = frames.by_language_and_layer(selection, checkpoint.fingerprint)
    # Filtered by model too: a checkpoint that two models share is there twice.
    mine = (frame["metric"] == metric) & (frame["model"] == model.name) & (frame["label"] == checkpoint.label)
    frame = frame[mine & frame["layer"].isin(layers)]
    return abx_frames.sides_by_checkpoint(frame, JOINT)
