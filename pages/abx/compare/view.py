"""Two models, checkpoints or corpora side by side, with the difference as its own heatmap."""

from __future__ import annotations

import streamlit as st

from isogloss.pages.abx.compare import checkpoints as compare_checkpoints
from isogloss.pages.abx.compare import corpora as compare_corpora
from isogloss.pages.abx.compare import models as compare_models
from isogloss.pages.abx.trends import MEASURES
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments


def draw(selection: Selection) -> None:
    """Draw the two controls, what is compared and in which measure, and that comparison."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = segments("Compare", ("Models", "Checkpoints", "Corpora"), "compare", "Checkpoints")
        measure = segments("Measure", list(MEASURES), "measure", "Meaning")
    metric = MEASURES[measure]
    match what:
        case "Models":
            compare_models.draw(selection, metric)
        case "Corpora":
            compare_corpora.draw(selection, metric)
        case _:
            compare_checkpoints.draw(selection, metric)
