"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments.words import count
from isogloss.backend.models.entry import Model
from isogloss.pages.probing.selection import NEEDED, Selection
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.runs import compute


def offer(selection: Selection, model: Model) -> None:
    """Say what of the chosen checkpoints and languages is not computed; nothing where all is."""
    checkpoints, pairs = selection.missing(model)
    if not checkpoints:
        return
    sources = sorted({source for source, _ in pairs})
    on = selection.data.name + ("" if selection.tested.id == selection.data.id else f", tested on {selection.tested.name}")
    what = f"probes of {count(len(sources), 'language')} not computed yet"
    sentence = compute.lacking(selection, model, checkpoints, on, what)
    if selection.data.there and selection.tested.there:
        compute.offer(selection.spec(model, checkpoints, sources), sentence)
    else:
        st.caption(f"{sentence} Their text is not in this workspace.")
        link_to_text(selection)


def link_to_text(selection: Selection) -> None:
    """Draw a link to where the text that scores alone are left of is added."""
    what = next(each for each, shelf in NEEDED.items() if (shelf == "Tagged text") == (selection.data.unit == "words"))
    navigation.to_library(f"Add {what}", NEEDED[what])
