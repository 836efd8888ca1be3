"""Static word vectors as a horizontal line: what a word is worth without its sentence."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.measurements.alignment_views.selection import Selection


def add(drawn: go.Figure, selection: Selection, measure: str) -> None:
    """Draw the mean of each set of static vectors that has scores on every chosen pair."""
