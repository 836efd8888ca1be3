"""How many different symbols the first tokens of a corpus have."""

from __future__ import annotations

import streamlit as st

from backend.charts.overlaid import Axis, overlaid
from backend.experiments.emergent import frames as emergent_frames
from pages.emergent.corpora import frames
from pages.emergent.shared.explain import TYPE_TOKEN
from pages.emergent.shared.selection import Selection
from pages.emergent.shared.snippets import snippet
from pages.widgets import figure


def draw(selection: Selection) -> None:
    axes = st.segmented_control(
        "Axes", ["Logarithmic", "Plain"], default="Logarithmic", key="growth_axes", bind="query-params", required=True
    )
    log = axes != "Plain"
    data = emergent_frames.type_token(frames.of(selection))
    drawn = overlaid(
        data,
        Axis("tokens", "Tokens so far", log=log, form=",.0f"),
        Axis("types", "Different symbols (types)", log=log, form=",.0f"),
        name="corpus", colours=selection.colours, title="Type–token curves",
    )  # fmt: skip
    figure.show(
        drawn, name="Type-token curves", data=data, card=TYPE_TOKEN, snippet=snippet(selection, "type_token(found)"),
        alt="Different symbols over tokens",
    )  # fmt: skip
