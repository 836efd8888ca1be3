"""Probing: what can a linear probe read off the vectors of each layer, in a language or across languages?"""

from __future__ import annotations

import streamlit as st

from pages.probing import errors, languages, missing, overview, selection, sources, trends
from pages.widgets.cell import apply_click
from pages.widgets.views import draw_computed

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Sources": sources.draw,
    "Errors": errors.draw,
}


def main() -> None:
    """Draw the controls, what is not computed yet, and the view that the URL names."""
    st.title("Probing", anchor=False)
    apply_click()
    if chosen := selection.choose():
        draw_computed(chosen, VIEWS, missing.offer, missing.tell)


main()
