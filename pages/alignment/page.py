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
from pages.widgets.workspace import guard

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
    st.title("Alignment", anchor=False)
    apply_click()
    chosen = selection.choose()
    if chosen is None:
        return
    with guard():
        for model in chosen.models:
            missing.offer(chosen, model)
        if not chosen.served:
            st.info(
                "Nothing is computed for this selection yet: the figures come with its first checkpoint.",
                icon=":material/info:",
            )
            return
        counts.tell(chosen)
        views = VIEWS[chosen.unit]
        view = st.segmented_control(
            "View", list(views), default="Curves", key="view", bind="query-params", label_visibility="collapsed"
        )
        views[view or "Curves"](chosen)


main()
