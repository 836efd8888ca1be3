"""Texts that were longer than the model takes in: said beside the figures they went into."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.models.entry import Model
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing.selecting import WHOLE
from isogloss.pages.widgets.words import verbatim


def tell(selection: Selection) -> None:
    """One sentence for each model that lost the end of some texts; nothing for the others."""
    for model in selection.models:
        if said := sentence(selection, model):
            st.caption(said)


def sentence(selection: Selection, model: Model) -> str | None:
    """Return how many texts of how many; those of the checkpoint that lost most, where the checkpoints differ."""
    provenance = [selection.served[checkpoint.fingerprint, WHOLE].provenance for checkpoint in selection.computed(model)]
    worst = max(provenance, key=lambda each: int(each.get("truncated", 0)), default={})
    if not worst.get("truncated"):
        return None
    texts = int(worst.get("texts") or len(worst["languages"]) * int(worst["sentences"]))
    lost = f"{int(worst['truncated']):,} of {texts:,}"
    return f"{verbatim(model.name)}: {lost} sentences were truncated at the model's maximum length."
