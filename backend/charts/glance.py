"""Small figures of one idea each, for the home page: lines over layers, cells, values in a row, points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.text import safe, wrap_title
from isogloss.backend.charts.parts.theme import COLOURS, DASHES, QUIET, colour_scale, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEIGHT = 160
NAME = 140
"""Pixels beside the points for a name, which takes as many lines as it needs."""
SMALL: dict[str, Any] = {"tickfont": {"size": 11}, "title": {"font": {"size": 11}, "standoff": 4}, "fixedrange": True}


def lines(series: Mapping[str, tuple[Sequence[float], Sequence[float]]], *, x: str, y: str, chance: float | None) -> go.Figure:
    """Draw a line for each name, xs and ys; `chance` is the score of guessing, a quiet line."""
    figure = _small(x, y)
    for place, (name, (xs, ys)) in enumerate(series.items()):
        line = {"color": COLOURS[place % len(COLOURS)], "dash": DASHES[place % len(DASHES)], "width": 2.5}
        figure.add_scatter(x=list(xs), y=list(ys), name=safe(name), mode="lines+markers", line=line, hovertemplate="%{y:.3f}")
    if chance is not None:
        figure.add_hline(chance, line={"color": QUIET, "dash": "dot", "width": 1})
    figure.update_xaxes(dtick=1 if max((len(xs) for xs, _ in series.values()), default=0) < 15 else None)
    legend = {"x": 0, "xanchor": "left", "font": {"size": 11}}
    figure.update_layout(hovermode="x unified", showlegend=True, legend=legend, margin={"t": 26})
    return figure


def cells(rows: Sequence[str], columns: Sequence[str], values: np.ndarray, *, x: str, y: str, unit: str) -> go.Figure:
    """Draw a matrix of values, `rows` × `columns`; `unit` is the colour bar's title. Missing ones are blank."""
    figure = _small(x, y)
    figure.add_heatmap(
        z=np.ascontiguousarray(values, np.float32),
        x=list(columns),
        y=list(rows),
        colorscale=colour_scale("viridis"),
        colorbar={
            "thickness": 8,
            "tickfont": {"size": 11},
            "title": {"text": safe(unit), "font": {"size": 11}, "side": "right"},
        },
        hovertemplate="%{y} → %{x}: %{z:.1f}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_xaxes(type="category", side="bottom")
    return figure


def ranked(names: Sequence[str], values: Sequence[float], *, x: str) -> go.Figure:
    """Draw a point for each name, the first at the top: a bar would begin at 0, far from all of them."""
    figure = _small(x, "")
    figure.add_scatter(
        x=list(values),
        y=[wrap_title(name, NAME) for name in names],
        mode="markers",
        marker={"color": COLOURS[0], "size": 10},
        hovertemplate="%{y}: %{x:.3f}<extra></extra>",
    )
    figure.update_yaxes(autorange="reversed", type="category")
    return figure


def points(xs: Sequence[float], ys: Sequence[float], names: Sequence[str], *, x: str, y: str) -> go.Figure:
    """Draw a point for each name."""
    figure = _small(x, y)
    figure.add_scatter(
        x=list(xs),
        y=list(ys),
        text=[safe(name) for name in names],
        mode="markers",
        marker={"color": COLOURS[0], "size": 6, "opacity": 0.8},
        hovertemplate="%{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
    )
    return figure


def _small(x: str, y: str) -> go.Figure:
    figure = layout(go.Figure(), height=HEIGHT)
    figure.update_layout(margin={"l": 4, "r": 4, "t": 8, "b": 4}, dragmode=False, showlegend=False)
    figure.update_xaxes(**SMALL, title_text=safe(x))
    figure.update_yaxes(**SMALL, title_text=safe(y))
    return figure
