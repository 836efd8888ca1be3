"""One model, checkpoint and layer out of the selection, by select boxes: the keyboard's way to any cell."""

from __future__ import annotations

import streamlit as st

from backend.models.entry import Checkpoint, Model
from pages.abx.selection import Selection
from pages.widgets.choices import start


def checkpoint_of(selection: Selection) -> tuple[Model, Checkpoint] | None:
    """A model and one of its computed checkpoints (the last by default); None where none is computed."""
    able = {model.name: model for model in selection.models if selection.computed(model)}
    if not able:
        return None
    names = list(able)
    first = start("pair_model", names)
    model = able[st.selectbox("Model", names, index=first, key="pair_model", bind="query-params", width=280)]
    computed = {checkpoint.label: checkpoint for checkpoint in selection.computed(model)}
    labels = list(computed)
    last = start("pair_checkpoint", labels, len(labels) - 1)
    label = st.selectbox("Checkpoint", labels, index=last, key="pair_checkpoint", bind="query-params", width=200)
    return model, computed[label]


def layer_of(model: Model) -> int:
    """One of the model's layers (the middle by default)."""
    layers = list(range(model.layers + 1))
    middle = start("pair_layer", layers, len(layers) // 2)
    return st.selectbox("Layer", layers, index=middle, key="pair_layer", bind="query-params", width=120)
