"""One model, checkpoint and layer out of the selection, by select boxes: the keyboard's way to any cell."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from backend.corpora.languages import language
from backend.models.entry import Checkpoint, Model
from pages.measurements.abx_views.choices import start
from pages.measurements.abx_views.selection import Selection

CLICKED = "clicked-cell"
"""Session state: select boxes' keys and the values that a click on a cell gives them, until the page is drawn again."""


def open_cell(**values: str | int) -> None:
    """Show the cell that was clicked: each select box (by its key) gets the value given."""
    st.session_state[CLICKED] = values
    st.rerun()


def apply_click() -> None:
    """Take over the cell that was clicked: call before anything is drawn.

    Into the session, which the select boxes read, and into the URL, which a box first drawn with such a value leaves as it was.
    (A box that was drawn in the run before writes its own value there, and lets nobody else.)
    """
    clicked = st.session_state.pop(CLICKED, None)
    if clicked is None:
        return
    st.session_state["view"] = "Pairs"
    for key, value in clicked.items():
        with suppress(StreamlitAPIException):
            st.query_params[key] = language_name(value) if key in ("pair_source", "pair_target") else str(value)
        st.session_state[key] = value


def language_name(tag: str) -> str:
    """A language as the select boxes and the link call it."""
    return f"{language(tag).name} · {tag}"


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
