"""Positional entropy: how freely symbols vary at each place of an utterance, from its beginning or its end."""

from __future__ import annotations

import streamlit as st

from backend.charts.overlaid import Axis, overlaid
from backend.experiments.emergent import frames as emergent_frames
from pages.emergent.corpora import frames
from pages.emergent.shared.explain import POSITIONS
from pages.emergent.shared.selection import Selection
from pages.emergent.shared.snippets import snippet
from pages.widgets import figure

Y = Axis("entropy", "Entropy (bits at that position; 0 = always the same symbol)")


def draw(selection: Selection) -> None:
    counted = st.segmented_control(
        "Positions counted", ["From the start", "From the end"], default="From the start", key="counted", bind="query-params",
        required=True,
    )  # fmt: skip
    from_end = counted == "From the end"
    data = emergent_frames.positions(frames.of(selection), from_end=from_end)
    first = "last" if from_end else "first"
    drawn = overlaid(
        data, Axis("position", f"Position (1 = {first} token)", form=".0f", whole=True), Y, name="corpus",
        notes={"utterances": ("Utterances so long", ",.0f")}, colours=selection.colours, title="Positional entropy",
    )  # fmt: skip
    figure.show(
        drawn, name=f"Positional entropy, {'from the end' if from_end else 'from the start'}", data=data, card=POSITIONS,
        snippet=snippet(selection, f"positions(found, from_end={from_end})"), alt="Entropy by position in the utterance",
    )  # fmt: skip
