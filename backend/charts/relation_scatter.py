"""One measure against another, a named point a unit, coloured by group, with the least-squares line and its band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from backend.charts.parts.text import name_of, safe, wrap_title
from backend.charts.parts.theme import AXIS, COLOURS, SYMBOLS, empty, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from backend.metrics.regression import Line

LABELLED = 40
"""Points that have their names beside them; more would hide one another."""
SILENT = 3000
"""Points of which each still says its name under the pointer."""
WIDTH = 820.0
"""Pixels the figure is taken to have on a 1280-pixel screen."""
BAND = "rgba(128,128,128,0.18)"


def relation_scatter(
    frame: pd.DataFrame,
    *,
    x_title: str,
    y_title: str,
    title: str = "",
    notes: Sequence[str] = (),
    line: Line | None = None,
    height: int = 390,
    width: float = WIDTH,
) -> go.Figure:
    """Draw a point for each row of `frame` (columns `name`, `group`, `x`, `y`) that has both numbers.

    Groups have a colour and a symbol each, the largest first; one group has no legend. `notes` are lines of text over it,
    `line` is the fit with the 95% band of its mean. Names stand beside up to 40 points.
    """
    data = frame[np.isfinite(frame["x"].to_numpy(np.float64)) & np.isfinite(frame["y"].to_numpy(np.float64))]
    if data.empty:
        return empty("Nothing has both numbers.", title=title)
    figure = layout(go.Figure(), height=height, title=title)
    if line is not None:
        _add_line(figure, line)
    groups = data["group"].value_counts(sort=True).index.tolist()
    across, up = (f"{safe(name_of(each))}: <b>" for each in (x_title, y_title))
    for rank, group in enumerate(groups):
        own = data[data["group"] == group]
        figure.add_trace(_points(own, rank, across, up, named=len(data) <= LABELLED, silent=len(data) > SILENT))
        figure.data[-1].update(name=safe(group), showlegend=len(groups) > 1)
    figure.layout.xaxis = AXIS | {"title": AXIS["title"] | {"text": wrap_title(x_title, width), "standoff": 10}}
    figure.layout.yaxis = AXIS | {"title": AXIS["title"] | {"text": wrap_title(y_title, height - 130), "standoff": 12}}
    figure.layout.legend.update(orientation="v", x=1.01, xanchor="left", y=1, yanchor="top")
    _add_notes(figure, notes)
    return figure


def _points(data: pd.DataFrame, rank: int, across: str, up: str, *, named: bool, silent: bool) -> dict[str, Any]:
    x, y = (np.ascontiguousarray(data[name], np.float32) for name in ("x", "y"))
    trace: dict[str, Any] = {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "markers+text" if named else "markers",
        "marker": {
            "color": COLOURS[rank % len(COLOURS)],
            "symbol": SYMBOLS[(rank + rank // len(COLOURS)) % len(SYMBOLS)],
            "size": 4 if silent else 9,
            "opacity": 0.35 if silent else 0.85,
        },
        "cliponaxis": False,
    }
    if silent:
        return trace | {"hoverinfo": "x+y"}
    names = data["name"].astype(str).tolist()
    # The numbers are written by the browser: a thousand of them would take longer here than all the rest.
    template = f"<b>%{{hovertext}}</b><br>{across}%{{x:.4g}}</b><br>{up}%{{y:.4g}}</b><extra></extra>"
    trace |= {"hovertext": np.array([safe(name) for name in names], dtype=object), "hovertemplate": template}
    if named:
        trace |= {"text": [safe(name, 24) for name in names], "textposition": "top center", "textfont": {"size": 12}}
    return trace


def _add_line(figure: go.Figure, line: Line) -> None:
    x = np.ascontiguousarray(line.x, np.float32)
    if np.isfinite(line.low).all():
        both = np.concatenate([line.high, line.low[::-1]]).astype(np.float32)
        band = {"fill": "toself", "fillcolor": BAND, "line": {"width": 0}, "mode": "lines", "hoverinfo": "skip"}
        figure.add_trace(go.Scatter(x=np.concatenate([x, x[::-1]]), y=both, name="95% band", showlegend=False, **band))
    stroke = {"color": "rgba(128,128,128,0.95)", "width": 2.5}
    y = line.y.astype(np.float32)
    figure.add_trace(go.Scatter(x=x, y=y, mode="lines", line=stroke, name="fit", showlegend=False, hoverinfo="skip"))


def _add_notes(figure: go.Figure, notes: Sequence[str]) -> None:
    """Write lines of text between the title and the figure."""
    if not notes:
        return
    more = 20 * (len(notes) - 1)
    figure.layout.margin.t += more
    figure.layout.height += more
    place = {"x": 0, "y": 1, "yshift": 4, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    text = "<br>".join(safe(each, None) for each in notes)
    figure.add_annotation(place, text=text, align="left", showarrow=False, font={"size": 14})
