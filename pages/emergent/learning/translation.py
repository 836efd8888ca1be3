"""How the models of the translation check learned: loss over the steps of pre-training a BART and of tuning it to translate."""

from __future__ import annotations

import streamlit as st

from backend.experiments.xferbench import curves as xferbench_curves
from pages.emergent.learning import losses
from pages.emergent.shared.selection import Selection
from pages.emergent.translation import correlating, one

VIEW = "Translation models"
"""What the page calls this view."""


def draw(selection: Selection) -> None:
    """Draw the loss of both stages, for the chosen source and setting, a line a seed."""
    found = correlating.choose(selection)
    if found is None:
        st.info("No translation model is trained yet. Train some in the view “Translation”.", icon=":material/info:")
        return
    trained = one.choose(found)
    if xferbench_curves.keys(trained.runs, "pre-training"):  # else nothing was pre-trained
        losses.draw(trained.runs, "pre-training", f"Pre-training a BART on {trained.source}")
    losses.draw(trained.runs, "tuning", f"Tuning to translate, from {trained.source}, {trained.setting}")
