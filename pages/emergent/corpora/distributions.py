"""What is counted in the chosen corpora, one figure each: ranks, types, lengths, n-grams and positions, overlaid."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.boards.card import Card
from isogloss.backend.experiments.emergent import frames as emergent_frames
from isogloss.backend.experiments.emergent.statistics import Statistics
from isogloss.backend.experiments.words import count, several
from isogloss.backend.figures.emergent import corpora as figures
from isogloss.backend.metrics.corpus.bias import longest_trusted
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.shared import cards
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.lists import paging
from isogloss.pages.widgets.words import verbatim

PAGE = 12
"""Corpora whose law is said at once."""


def ranks(selection: Selection) -> None:
    """Draw how often the symbol of each rank is said, on logarithmic axes, with the Zipf–Mandelbrot law fitted to it."""
    _draw(
        selection,
        partial(emergent_frames.ranks),
        partial(figures.ranks),
        "Rank and frequency",
        cards.RANKS,
        alt="Share of tokens by rank on logarithmic axes, with fitted laws as dotted lines",
    )
    laws = [f"- **{verbatim(name)}**: {law(each)}" for name, each in frames.statistics_of_corpora(selection).items()]
    where, on_page = paging.paged(len(laws), PAGE)
    where.markdown("\n".join(laws[on_page]))


def law(found: Statistics) -> str:
    """Write the fit as a sentence; that there is none where its numbers would mean nothing."""
    fit = found.corpus.zipf
    if np.isnan(fit.alpha):
        return f"{count(fit.types, 'symbol')}: too few for a law."
    if fit.at_bound:
        why = "as for shares that are almost equal or fall exponentially"
        return f"no power law: the fit did not converge (parameters at bounds), {why}."
    return f"α = {fit.alpha:.2f}, β = {fit.beta:.2f}; KL from the fitted law: {fit.divergence:.3f} bits per token."


def type_token(selection: Selection) -> None:
    """Draw how many different symbols the first tokens of a corpus have."""
    axes = segments("Axes", ["Logarithmic", "Plain"], "growth_axes", "Logarithmic")
    _draw(
        selection,
        partial(emergent_frames.type_token),
        partial(figures.type_token, log=axes != "Plain"),
        "Type-token curves",
        cards.TYPE_TOKEN,
        alt="Different symbols over tokens",
    )


def lengths(selection: Selection) -> None:
    """Draw how long the utterances are, in tokens."""
    _draw(
        selection,
        partial(emergent_frames.lengths),
        partial(figures.lengths),
        "Utterance lengths",
        cards.LENGTHS,
        alt="Share of utterances by length",
    )
    known = {name: each.corpus.lengths for name, each in frames.statistics_of_corpora(selection).items()}
    one = [name for name, each in known.items() if each.shortest == each.longest]
    if one:
        said = several([f"{verbatim(name)} ({count(int(known[name].longest), 'token')})" for name in one])
        st.caption(f"All utterances are of one length in {said}.")


def positions(selection: Selection) -> None:
    """Draw positional entropy (bits): how freely symbols vary at each place of an utterance, from its beginning or its end."""
    counted = segments("Positions counted", ["From the start", "From the end"], "counted", "From the start")
    end = counted == "From the end"
    _draw(
        selection,
        partial(emergent_frames.positions, from_end=end),
        partial(figures.positions, from_end=end),
        f"Positional entropy, from the {'end' if end else 'start'}",
        cards.POSITIONS,
        alt="Entropy by position in the utterance",
    )
    trusted = {}
    for name, each in frames.statistics_of_corpora(selection).items():
        reached = (each.ends if end else each.corpus.positions).utterances  # how many utterances are so long
        trusted[name] = longest_trusted(each.corpus.types, [int(utterances) for utterances in reached])
    said = several(
        [f"{position} in {verbatim(name)}" if position else f"none in {verbatim(name)}" for name, position in trusted.items()]
    )
    st.caption(
        f"Plug-in estimates, too low where few utterances are so long; by 0.1 bits at most in the first positions: {said}."
    )


def _draw(
    selection: Selection, count: partial[pd.DataFrame], chart: partial[go.Figure], name: str, card: Card, *, alt: str
) -> None:
    """Draw one curve per corpus: what `count` makes of the statistics, as `chart` draws it."""
    drawn = partial(chart, colours=selection.colours)
    figure.draw(frames.recipe(selection, count).with_chart(drawn), name=name, card=card, alt=alt)
