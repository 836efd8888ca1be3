"""Entropy by the order of n-grams: of the whole n-gram, or of its last symbol when the others are known."""

from __future__ import annotations

import streamlit as st

from backend.charts.overlaid import Axis, overlaid
from backend.experiments.emergent import frames as emergent_frames
from pages.emergent.corpora import frames
from pages.emergent.shared.explain import ENTROPIES
from pages.emergent.shared.selection import Selection
from pages.emergent.shared.snippets import snippet
from pages.widgets import figure

ORDER = Axis("order", "Symbols of the n-gram", form=".0f", whole=True)
MEASURES = {
    "Conditional": Axis("conditional", "Conditional entropy (bits of the last symbol; lower = more order)"),
    "Joint": Axis("entropy", "Entropy (bits an n-gram)"),
}
NOTES = {"windows": ("n-grams", ",.0f"), "distinct": ("Different ones", ",.0f")}


def draw(selection: Selection) -> None:
    chosen = st.segmented_control(
        "Entropy", list(MEASURES), default="Conditional", key="entropy", bind="query-params", required=True,
        help="Conditional: of the last symbol when those before are known. Joint: of the whole n-gram.",
    )  # fmt: skip
    data = emergent_frames.entropies(frames.of(selection))
    drawn = overlaid(
        data, ORDER, MEASURES[chosen or "Conditional"], name="corpus", notes=NOTES, colours=selection.colours,
        title="Entropy by n-gram order",
    )  # fmt: skip
    figure.show(
        drawn, name="Entropy by n-gram order", data=data, card=ENTROPIES, snippet=snippet(selection, "entropies(found)"),
        alt="Entropy by n-gram order",
    )  # fmt: skip
