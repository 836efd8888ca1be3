"""What is counted in the chosen corpora, one figure each: ranks, types, lengths, n-grams and positions, overlaid."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.overlaid import Axis, overlaid_lines
from backend.experiments.emergent import frames as emergent_frames
from backend.experiments.emergent.statistics import Statistics
from backend.experiments.words import count
from pages.emergent.corpora import frames
from pages.emergent.shared import cards
from pages.emergent.shared.controls import segments
from pages.emergent.shared.selection import Selection
from pages.widgets import figure
from pages.widgets.card import Card
from pages.widgets.words import plain

ORDER = Axis("order", "Symbols of the n-gram", form=".0f", whole=True)
ENTROPIES = {
    "Conditional": Axis("conditional", "Conditional entropy (bits of the last symbol; lower = more order)"),
    "Joint": Axis("entropy", "Entropy (bits an n-gram)"),
}
NOTES = {"windows": ("n-grams", ",.0f"), "distinct": ("Different ones", ",.0f")}


def ranks(selection: Selection) -> None:
    """Draw how often the symbol of each rank is said, on logarithmic axes, with the Zipf–Mandelbrot law fitted to it."""
    found = frames.of(selection)
    _show(
        selection,
        partial(emergent_frames.ranks),
        "Rank and frequency",
        cards.RANKS,
        Axis("rank", "Rank (1 = most frequent)", log=True, form=",.0f"),
        Axis("share", "Share of all tokens", log=True, form=".2e"),
        alt="Share of tokens by rank on logarithmic axes, with fitted laws as dotted lines",
        look="points",
        fitted="fitted",
        fitted_name="Zipf–Mandelbrot",
        notes={"count": ("Tokens", ",.0f")},
    )
    st.markdown("\n".join(f"- **{plain(name)}**: {law(each)}" for name, each in found.items()))


def law(found: Statistics) -> str:
    """Write the fit as a sentence; that there is none where its numbers would mean nothing."""
    fit = found.corpus.zipf
    if np.isnan(fit.alpha):
        return f"{count(fit.types, 'symbol')}: too few for a law."
    if fit.at_bound:
        return "no power law: the fit runs to its bounds, as it does for shares that are almost equal or fall exponentially."
    return f"α = {fit.alpha:.2f}, β = {fit.beta:.2f}; divergence from the counts: {fit.divergence:.3f} bits per token."


def type_token(selection: Selection) -> None:
    """Draw how many different symbols the first tokens of a corpus have."""
    axes = segments("Axes", ["Logarithmic", "Plain"], "Logarithmic", "growth_axes")
    log = axes != "Plain"
    _show(
        selection,
        partial(emergent_frames.type_token),
        "Type-token curves",
        cards.TYPE_TOKEN,
        Axis("tokens", "Tokens so far", log=log, form=",.0f"),
        Axis("types", "Different symbols (types)", log=log, form=",.0f"),
        alt="Different symbols over tokens",
        title="Type–token curves",
    )


def lengths(selection: Selection) -> None:
    """Draw how long the utterances are, in tokens."""
    found = frames.of(selection)
    bins = emergent_frames.lengths(found)
    width = int(bins["high"].iloc[0] - bins["low"].iloc[0]) + 1
    _show(
        selection,
        partial(emergent_frames.lengths),
        "Utterance lengths",
        cards.LENGTHS,
        Axis("middle", f"Tokens of an utterance{f' (bins of {width:,})' if width > 1 else ''}", form=",.6g", whole=True),
        Axis("share", "Share of the utterances"),
        alt="Share of utterances by length",
        look="steps",
        notes={"utterances": ("Utterances", ",.0f")},
    )
    one = [
        f"{plain(name)} ({count(int(each.corpus.lengths.longest), 'token')})"
        for name, each in found.items()
        if each.corpus.lengths.shortest == each.corpus.lengths.longest
    ]
    if one:
        st.caption(f"All utterances are of one length in {', '.join(one)}.")


def entropies(selection: Selection) -> None:
    """Draw entropy (bits) by the order of n-grams: of the whole n-gram, or of its last symbol when the others are known."""
    chosen = segments(
        "Entropy",
        list(ENTROPIES),
        "Conditional",
        "entropy",
        help="Conditional: of the last symbol when those before are known. Joint: of the whole n-gram.",
    )
    _show(
        selection,
        partial(emergent_frames.entropies),
        "Entropy by n-gram order",
        cards.ENTROPIES,
        ORDER,
        ENTROPIES[chosen],
        alt="Entropy by n-gram order",
        notes=NOTES,
    )
    st.caption("Plug-in estimates: too low where n-grams are few for how many are possible. Shuffled shows by how much.")


def positions(selection: Selection) -> None:
    """Draw positional entropy (bits): how freely symbols vary at each place of an utterance, from its beginning or its end."""
    counted = segments("Positions counted", ["From the start", "From the end"], "From the start", "counted")
    end = counted == "From the end"
    _show(
        selection,
        partial(emergent_frames.positions, from_end=end),
        f"Positional entropy, from the {'end' if end else 'start'}",
        cards.POSITIONS,
        Axis("position", f"Position (1 = {'last' if end else 'first'} token)", form=".0f", whole=True),
        Axis("entropy", "Entropy (bits at that position; 0 = always the same symbol)"),
        alt="Entropy by position in the utterance",
        title="Positional entropy",
        notes={"utterances": ("Utterances so long", ",.0f")},
    )


def _show(
    selection: Selection,
    count: partial[pd.DataFrame],
    name: str,
    card: Card,
    x: Axis,
    y: Axis,
    *,
    alt: str,
    title: str = "",
    **look: Any,
) -> None:
    """Draw one curve per corpus: what `count` makes of the statistics."""
    data = count(frames.of(selection))
    drawn: go.Figure = overlaid_lines(data, x, y, name="corpus", colours=selection.colours, title=title or name, **look)
    figure.show(drawn, name=name, data=data, card=card, snippet=frames.python(selection, count), alt=alt)
