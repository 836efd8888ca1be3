"""ABX discrimination: does a layer tell languages apart, and does it tell meanings apart?"""

from __future__ import annotations

import streamlit as st

from pages.abx import languages, missing, overview, pairs, relations, selection, trends, truncated
from pages.abx.compare import view as compare
from pages.widgets.cell import apply_click
from pages.widgets.views import draw_computed

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Pairs": pairs.draw,
    "Relations": relations.draw,
    "Compare": compare.draw,
}


def main() -> None:
    """Draw the controls, what is not computed yet, and the view that the URL names."""
    st.title("ABX discrimination", anchor=False)
    apply_click()
    if chosen := selection.choose():
        draw_computed(chosen, VIEWS, missing.offer, truncated.tell)


main()
