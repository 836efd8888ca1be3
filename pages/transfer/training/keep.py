"""The weights of the model looked at: offered with what they cost; once there, where they lie and how to load them."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.transfer.card import agreement, loading
from isogloss.backend.experiments.transfer.weights import spec_of
from isogloss.backend.models.entry import Model
from isogloss.backend.store import weights
from isogloss.backend.store.records import RecordFile
from isogloss.backend.store.weights import KeptModel
from isogloss.pages.transfer.shared.selection import Selection
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import size, verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

BESIDE = (
    "Before and after: add the model fine-tuned and this folder as one model (`models add BEFORE AFTER --name …`) and compute "
    "ABX of both. The Matrix view then draws them."
)
BYTES = 4
"""Of a parameter: weights are float32."""


def offer(selection: Selection, file: RecordFile, step: int) -> None:
    """Draw a quiet button; what is behind it is looked up when it is opened."""
    with st.popover("Save this model", icon=":material/save:", type="tertiary", key="keep-model", on_change="rerun") as opened:
        if opened.open:
            with guard():
                _inside(selection, file, step)


def _inside(selection: Selection, file: RecordFile, step: int) -> None:
    try:
        spec = spec_of(file, step, selection.everything)
    except SpecError as error:
        st.warning(verbatim(str(error)), icon=":material/info:")
        return
    if kept := weights.load(spec.id, workspaces()):
        _there(kept)
        return
    model = next(each for each in selection.everything if each.name == spec.run.model)

    st.caption("Runs keep predictions, not weights. On the same device, the seed gives the same weights again.")
    compute.offer(spec, sentence(model, step), verb="Train")


def sentence(model: Model, step: int) -> str:
    """Return what will be done, and what it will take on the disk."""
    taken = f", {size(BYTES * model.parameters)} on the server's disk" if model.parameters else ""
    return f"Train up to step {step:,} again, check it against its predictions and save the model{taken}."


def _there(kept: KeptModel) -> None:
    st.markdown(":material/check_circle: **Saved** on the server.")
    if kept.provenance["different"]:
        st.warning(verbatim(agreement(kept.provenance)), icon=":material/difference:")
    else:
        st.caption(verbatim(agreement(kept.provenance)))
    st.code(loading(kept.provenance, str(kept.folder)), language="python", wrap_lines=True)
    st.caption(BESIDE)
    if kept.provenance["use"]["form"] != "classifier":
        st.caption("This is the model without its head, which is in a file of its own: README.md there says how to use both.")
