"""Alignment: is a word, or a sentence, nearest to its translation?"""

from __future__ import annotations

import streamlit as st

from pages.alignment import (
    counts,
    distributions,
    errors,
    matrix,
    missing,
    overview,
    selection,
    similarity,
    sources,
    table,
    trends,
)
from pages.widgets.cell import apply_click
from pages.widgets.views import draw_computed

VIEWS = {
    "word": {
        "Curves": trends.draw,
        "Layers × checkpoints": overview.draw,
        "Table": table.draw,
        "Distributions": distributions.draw,
        "Errors": errors.draw,
        "Sources": sources.draw,
    },
    "sentence": {
        "Curves": trends.draw,
        "Layers × checkpoints": overview.draw,
        "Table": table.draw,
        "Matrix": matrix.draw,
        "Similarity": similarity.draw,
    },
}


def main() -> None:
    """Draw the controls, what is not computed yet, and the view that the URL names."""
    st.title("Alignment", anchor=False)
    apply_click()
    if chosen := selection.choose():
        draw_computed(chosen, VIEWS[chosen.unit], missing.offer, counts.tell)


main()
