"""A model's own scores as files that others read: `.eval_results` of the Hub, or Every Eval Ever."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, get_args

import streamlit as st

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.evaluations.files import Form
from isogloss.backend.public.evaluations import evaluations
from isogloss.backend.public.saved import scores
from isogloss.pages.widgets.workspace import attempt

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model

NAMES: dict[Form, str] = {"eval_results": ".eval_results (Hugging Face)", "every_eval_ever": "Every Eval Ever"}
MOST = 300_000
"""Scores written from the page: each is some 700 bytes of JSON."""


def draw(model: Model) -> None:
    """Draw the form's choice, and what is made of it to be downloaded."""
    chosen = st.selectbox("Checkpoint", [each.label for each in reversed(model.checkpoints)], key="evaluations-checkpoint")
    form = st.radio("Form", get_args(Form), key="evaluations-form", format_func=lambda each: NAMES[each])
    what = "What own corpora are: a data set's id on the Hub"
    dataset = st.text_input(what, key="evaluations-dataset", disabled=form != "eval_results")
    if not st.button("Make the file", type="primary", key="evaluations-make"):
        return
    made = attempt(lambda: _zipped(model.name, chosen, form, dataset.strip()))
    if made is not None:
        name = f"{form}-{chosen}.zip"
        st.download_button("Download", made, name, "application/zip", icon=":material/download:", on_click="ignore")


def _zipped(model: str, checkpoint: str, form: Form, dataset: str) -> bytes:
    frame = scores(model=model, checkpoint=checkpoint, own=False)
    if frame.empty:
        raise StoreError(f"{model}, {checkpoint} has no scores yet.")
    if form == "every_eval_ever" and len(frame) > MOST:
        raise StoreError(f"These are {len(frame):,} scores: write them with `isogloss scores --every-eval-ever FOLDER`.")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in evaluations(frame, form, dataset=dataset).items():
            archive.writestr(name, text)
    return buffer.getvalue()
