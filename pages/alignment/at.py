"""One model, checkpoint and layer out of the selection, by select boxes: the keyboard's way to any cell or point."""

from __future__ import annotations

import streamlit as st

from backend.models.entry import Checkpoint, Model
from pages.alignment.selection import Selection
from pages.widgets.choices import start


def checkpoint_of(selection: Selection) -> tuple[Model, Checkpoint] | None:
    """A model and one of its computed checkpoints (the last by default); None where none is computed."""
    able = {model.name: model for model in selection.models if selection.computed(model)}
    if not able:
        return None
    names = list(able)
    first = start("at_model", names, len(names) - 1)
    model = able[st.selectbox("Model", names, index=first, key="at_model", bind="query-params", width=280)]
    computed = {checkpoint.label: checkpoint for checkpoint in selection.computed(model)}
    labels = list(computed)
    last = start("at_checkpoint", labels, len(labels) - 1)
    return model, computed[st.selectbox("Checkpoint", labels, index=last, key="at_checkpoint", bind="query-params", width=200)]


def layer_of(model: Model) -> int:
    """One of the model's layers (the middle by default)."""
    layers = list(range(model.layers + 1))
    middle = start("at_layer", layers, len(layers) // 2)
    return st.selectbox("Layer", layers, index=middle, key="at_layer", bind="query-params", width=120)


def pair_of(selection: Selection) -> tuple[str, str]:
    """A pair of languages, in the direction to look at: from the first to the second."""
    ways = {f"{a} → {b}": (a, b) for pair in selection.pairs for a, b in (pair, pair[::-1])}
    names = list(ways)
    first = start("at_pair", names)
    return ways[st.selectbox("From → to", names, index=first, key="at_pair", bind="query-params", width=160)]
