"""Brackets beside a heatmap that say which rows belong to one family or script."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from backend.charts.parts.text import safe
from backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go


def add_groups(figure: go.Figure, groups: Sequence[str], right: float, *, both: bool = False) -> go.Figure:
    """Bracket each run of equal `groups` (one name a row) right of a heatmap that ends at the fraction `right` of the width.

    A line across the cells parts neighbouring groups; with `both`, one down the columns too, for a square of one list.
    """
    start = 0
    left, end = right + 0.006, right + 0.014
    for name, members in groupby(groups):
        stop = start + sum(1 for _ in members)
        top, bottom = start - 0.38, stop - 0.62
        middle = {"xref": "paper", "yref": "y", "line": {"color": QUIET, "width": 1.5}}
        figure.add_shape(type="line", x0=end, x1=end, y0=top, y1=bottom, **middle)
        for edge in (top, bottom):
            figure.add_shape(type="line", x0=left, x1=end, y0=edge, y1=edge, **middle)
        figure.add_annotation(
            x=end + 0.004,
            y=(top + bottom) / 2,
            xref="paper",
            yref="y",
            xanchor="left",
            yanchor="middle",
            text=safe(name, 18),
            showarrow=False,
            font={"size": 12},
        )
        if start:
            line = {"color": "rgba(255,255,255,0.85)", "width": 1.5}
            figure.add_shape(type="line", xref="x domain", x0=0, x1=1, y0=start - 0.5, y1=start - 0.5, line=line)
            if both:
                figure.add_shape(type="line", yref="y domain", y0=0, y1=1, x0=start - 0.5, x1=start - 0.5, line=line)
        start = stop
    return figure
