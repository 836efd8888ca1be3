"""Lines of text between the title of a figure and the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.charts.parts.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go


def add_notes(figure: go.Figure, notes: Sequence[str]) -> None:
    """Write lines of text between the title and the figure."""
    if not notes:
        return
    more = 20 * (len(notes) - 1)
    figure.layout.margin.t += more
    figure.layout.height += more
    place = {"x": 0, "y": 1, "yshift": 4, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    text = "<br>".join(safe(each, None) for each in notes)
    figure.add_annotation(place, text=text, align="left", showarrow=False, font={"size": 14})
