"""How often the symbol of each rank is said, on logarithmic axes, with the Zipf–Mandelbrot law fitted to it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from backend.charts.overlaid import Axis, overlaid
from backend.experiments.emergent import frames as emergent_frames
from backend.experiments.emergent.statistics import Statistics
from pages.emergent.corpora import frames
from pages.emergent.shared.explain import RANKS
from pages.emergent.shared.selection import Selection
from pages.emergent.shared.snippets import snippet
from pages.widgets import figure
from pages.widgets.words import count, plain

X = Axis("rank", "Rank (1 = most frequent)", log=True, form=",.0f")
Y = Axis("share", "Share of all tokens", log=True, form=".2e")


def draw(selection: Selection) -> None:
    found = frames.of(selection)
    data = emergent_frames.ranks(found)
    drawn = overlaid(
        data, X, Y, name="corpus", look="points", fitted="fitted", fitted_name="Zipf–Mandelbrot",
        notes={"count": ("Tokens", ",.0f")}, colours=selection.colours, title="Rank and frequency",
    )  # fmt: skip
    figure.show(
        drawn, name="Rank and frequency", data=data, card=RANKS, snippet=snippet(selection, "ranks(found)"),
        alt="Share of tokens by rank on logarithmic axes, with fitted laws as dotted lines",
    )  # fmt: skip
    st.markdown("\n".join(f"- **{plain(name)}**: {law(each)}" for name, each in found.items()))


def law(found: Statistics) -> str:
    """The fit in a sentence; that there is none where its numbers would mean nothing."""
    fit = found.corpus.zipf
    if np.isnan(fit.alpha):
        return f"{count(fit.types, 'symbol')}: too few for a law."
    if fit.at_bound:
        return "no power law: the fit runs to its bounds, as it does for shares that are almost equal or fall exponentially."
    return (
        f"α = {fit.alpha:.2f}, β = {fit.beta:.2f}; {fit.divergence:.3f} bits a token are lost by taking the law for the counts."
    )
