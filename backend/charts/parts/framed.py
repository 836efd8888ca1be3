"""Cells of a heatmap with a frame around them: those that a caption speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from isogloss.backend.charts.parts.text import safe
from isogloss.backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

INSET = 0.45
"""Half a frame's side in cells: frames of neighbours do not touch."""


def frame_cells(figure: go.Figure, cells: Sequence[tuple[int, int]], name: str) -> go.Figure:
    """Frame `cells`, (row, column) each, of a figure of one heatmap, under `name` in the legend; returns `figure`.

    A white line upon a black one shows on every colour of every scale.
    """
    if not cells:
        return figure
    name = safe(name)
    xs: list[float | None] = []
    ys: list[float | None] = []
    for row, column in cells:
        left, right, top, bottom = column - INSET, column + INSET, row - INSET, row + INSET
        xs += [left, right, right, left, left, None]
        ys += [top, top, bottom, bottom, top, None]
    for width, colour in ((4.5, "#111111"), (1.8, "#FFFFFF")):
        line = {"width": width, "color": colour}
        figure.add_trace(
            go.Scatter(
                x=xs[:-1], y=ys[:-1], mode="lines", line=line, hoverinfo="skip", name=name, legendgroup=name, showlegend=False
            )
        )
    # A black or white line would be lost in the legend of one of the two themes.
    key = {"symbol": "square-open", "size": 14, "color": QUIET, "line": {"width": 3}}
    return figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=key, name=name, legendgroup=name))
