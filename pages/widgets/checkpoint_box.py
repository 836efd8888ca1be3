"""One model, checkpoint and layer out of the selection, by select boxes: the keyboard's way to any cell or point."""

from __future__ import annotations

from typing import Protocol

import streamlit as st

from backend.models.entry import Checkpoint, Model
from pages.widgets.choices import start


class Computed(Protocol):
    """A selection that knows what of it is computed."""

    @property
    def models(self) -> tuple[Model, ...]: ...

    def computed(self, model: Model) -> list[Checkpoint]: ...


def checkpoint_of(selection: Computed, key: str, *, last: bool = False) -> tuple[Model, Checkpoint] | None:
    """A model (the first by default, or the `last`) and one of its computed checkpoints (the last by default).

    None where none is computed. The boxes' keys begin with `key`.
    """
    able = {model.name: model for model in selection.models if selection.computed(model)}
    if not able:
        return None
    names = list(able)
    first = start(f"{key}_model", names, len(names) - 1 if last else 0)
    model = able[st.selectbox("Model", names, index=first, key=f"{key}_model", bind="query-params", width=280)]
    computed = {checkpoint.label: checkpoint for checkpoint in selection.computed(model)}
    labels = list(computed)
    newest = start(f"{key}_checkpoint", labels, len(labels) - 1)
    label = st.selectbox("Checkpoint", labels, index=newest, key=f"{key}_checkpoint", bind="query-params", width=200)
    return model, computed[label]


def layer_of(model: Model, key: str) -> int:
    """One of the model's layers (the middle by default)."""
    layers = list(range(model.layers + 1))
    middle = start(f"{key}_layer", layers, len(layers) // 2)
    return st.selectbox("Layer", layers, index=middle, key=f"{key}_layer", bind="query-params", width=120)
