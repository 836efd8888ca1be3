"""ABX discrimination: does a layer tell languages apart, and does it tell meanings apart?"""

from __future__ import annotations

import streamlit as st

from pages.abx import languages, missing, overview, pairs, relations, selection, trends, truncated
from pages.abx.compare import view as compare
from pages.widgets.cell import apply_click
from pages.widgets.workspace import guard

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Pairs": pairs.draw,
    "Relations": relations.draw,
    "Compare": compare.draw,
}


def main() -> None:
    st.title("ABX discrimination", anchor=False)
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
        truncated.tell(chosen)
        view = st.segmented_control(
            "View", list(VIEWS), default="Layers × checkpoints", key="view", bind="query-params", label_visibility="collapsed"
        )
        VIEWS[view or "Layers × checkpoints"](chosen)


main()
