"""The paper's printed numbers beside one's own, where the same quantity is in a figure.

Only correlations are printed in its text and tables, no scores: the heatmaps and curves have nothing to be laid against.
"""

from __future__ import annotations

import textwrap

import plotly.graph_objects as go
import streamlit as st

from backend.charts.parts.paper import add_named_reference
from backend.charts.parts.text import number
from backend.experiments.abx.printed import tables as published
from backend.experiments.abx.printed.tables import Quantity
from backend.models.entry import Model
from pages.shared.abx.selection import Selection
from pages.widgets.words import plain

WIDTH = 52
"""Characters of a line over a figure of half the page's width."""

SCOPES: dict[Quantity, str] = {
    "final checkpoint": "last checkpoint",
    "retrieval": "the text suggests retrieval at the last layer, meaning over all; note 6 has 0.53 for that",
    "retrieval, last layer": "both at the last layer",
    "retrieval, last against all layers": "retrieval at the last layer, meaning over all",
}
"""What each is of. The paper contradicts itself on the first: all three are shown."""


def toggle(selection: Selection, model: Model) -> bool:
    """Return whether to show the paper's numbers: at first where the selection is like the paper's, else where asked for."""
    known = f"{selection.corpus.name} {selection.corpus.source or ''}"
    differing = published.differences(model.architecture, model.layers, model.dims, known, selection.languages)
    shown = st.toggle(
        "The paper's numbers",
        value=not differing,
        key="paper",
        bind="query-params",
        help=(
            f"Correlations printed in {plain(published.PAPER)}, measured there on {plain(published.SETTING)}. "
            + (f"This selection has {plain(', '.join(differing))}." if differing else "This selection is like the paper's.")
        ),
    )
    return bool(shown)


def over_checkpoints(figure: go.Figure) -> go.Figure:
    """Add the paper's correlations of language with meaning discrimination at its last checkpoint, as lines."""
    for each, dash in zip(published.printed_correlations("final checkpoint"), ("longdash", "longdashdot"), strict=True):
        lines = [f"{each.source},", f"{published.SETTING},", f"last checkpoint, {each.statistic}"]
        add_named_reference(figure, each.value, lines, dash=dash)
    return figure


def beside_pairs() -> list[str]:
    """Lines of text for a scatter of language against meaning: the paper's correlations, their source, and what they are of."""
    found = published.printed_correlations("final checkpoint")
    values = ", ".join(f"{each.statistic} {number(each.value, '.2f')}" for each in found)
    return _wrapped(f"{found[0].source}: {values}", f"({published.SETTING}, {SCOPES['final checkpoint']})")


def beside_retrieval() -> list[str]:
    """Return the same for meaning against retrieval: all three that the paper prints, each with the layers it is of."""
    quantities = [quantity for quantity in SCOPES if quantity.startswith("retrieval")]
    given = [(each, SCOPES[quantity]) for quantity in quantities for each in published.printed_correlations(quantity)]
    texts = [f"{each.source}: {each.statistic} {number(each.value, '.2f')} ({scope})" for each, scope in given]
    return _wrapped(*texts, f"({published.SETTING})")


def _wrapped(*texts: str) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text, WIDTH)]
