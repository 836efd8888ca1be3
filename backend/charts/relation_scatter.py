"""One measure against another, a named point a unit, coloured by group, with the least-squares line and its band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.lines import legend_beside
from isogloss.backend.charts.parts.named import LABELLED, LONGEST, free_names
from isogloss.backend.charts.parts.notes import add_notes
from isogloss.backend.charts.parts.text import BEYOND, in_one_line, name_of, safe, wrap_title
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, SYMBOLS, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from isogloss.backend.metrics.regression import Line

MANY = 300
"""More points are drawn smaller."""
SILENT = 3000
"""Points of which each still says its name under the pointer, and which are shapes of their own: of more the graphics card
draws a picture, for a browser lays out all shapes anew wherever the pointer moves."""
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
    colours: Mapping[str, str] | None = None,
    height: int = 390,
    width: float = WIDTH,
) -> go.Figure:
    """Draw a point for each row of `frame` (columns `name`, `group`, `x`, `y`) that has both numbers.

    Lines of a column `more`, if there is one, stand below the numbers where a pointer rests on a point.

    Groups have a colour (by `colours` where it is there) and a symbol each, the largest first; one group has no legend. `notes`
    are lines of text over it, `line` is the fit with the 95% band of its mean, nan for none. Names stand beside up to 40
    points, where they do not hide one another.
    """
    data = frame[np.isfinite(frame["x"].to_numpy(np.float64)) & np.isfinite(frame["y"].to_numpy(np.float64))]
    if data.empty:
        return empty("Nothing has both numbers.", title=title)
    figure = layout(go.Figure(), height=height, title=title)
    if line is not None:
        _add_line(figure, line)
    groups = data["group"].value_counts(sort=True).index.tolist()
    free = _free(data, width, height) if len(data) <= LABELLED else None
    across, up = (f"{safe(name_of(each))}: <b>" for each in (x_title, y_title))
    for rank, group in enumerate(groups):
        own = data[data["group"] == group]
        named = free[(data["group"] == group).to_numpy()] if free is not None else None
        colour = (colours or {}).get(group, COLOURS[rank % len(COLOURS)])
        points = _points(own, rank, colour, across, up, named=named, points=len(data))
        figure.add_trace(points | {"name": safe(group), "showlegend": len(groups) > 1})
    figure.layout.xaxis = AXIS | {"title": AXIS["title"] | {"text": wrap_title(x_title, width), "standoff": 10}}
    room = height - 130 + BEYOND
    up_title = wrap_title(in_one_line(y_title, room) if title else y_title, room)
    figure.layout.yaxis = AXIS | {"title": AXIS["title"] | {"text": up_title, "standoff": 12}}
    figure.layout.legend.itemsizing = "constant"
    legend_beside(figure)
    add_notes(figure, notes)
    return figure


def _free(data: pd.DataFrame, width: float, height: float) -> NDArray[np.bool_]:
    """Return which points have their names beside them."""
    plot = (0.72 * width, height - 130.0)
    spans = [np.ptp(data[name].to_numpy(np.float64)) or 1.0 for name in ("x", "y")]
    x, y = (data[name].to_numpy(np.float64) / span * size for name, span, size in zip(("x", "y"), spans, plot, strict=True))
    return free_names(x, y, data["name"].astype(str).tolist())


def _points(
    data: pd.DataFrame, rank: int, colour: str, across: str, up: str, *, named: NDArray[np.bool_] | None, points: int
) -> dict[str, Any]:
    x, y = (np.ascontiguousarray(data[name], np.float32) for name in ("x", "y"))
    silent = points > SILENT
    trace: dict[str, Any] = {
        "type": "scattergl" if silent else "scatter",
        "x": x,
        "y": y,
        "mode": "markers" if named is None else "markers+text",
        "marker": {
            "color": colour,
            "symbol": SYMBOLS[(rank + rank // len(COLOURS)) % len(SYMBOLS)],
            "size": 4 if silent else 6 if points > MANY else 9,
            "opacity": 0.35 if silent else 0.55 if points > MANY else 0.85,
        },
    }
    # The numbers are written by the browser: a thousand of them would take longer here than all the rest.
    template = f"{across}%{{x:.4g}}</b><br>{up}%{{y:.4g}}</b>"
    if silent:
        return trace | {"hovertemplate": template + "<extra></extra>"}
    trace["cliponaxis"] = False
    names = data["name"].astype(str).tolist()
    template = f"<b>%{{hovertext}}</b><br>{template}"
    if "more" in data:
        template += "<br>%{customdata}"
        lines = (text.split("\n") for text in data["more"])
        trace["customdata"] = np.array(["<br>".join(safe(line) for line in own) for own in lines], dtype=object)
    template += "<extra></extra>"
    trace |= {"hovertext": np.array([safe(name) for name in names], dtype=object), "hovertemplate": template}
    if named is not None:
        texts = [safe(name, LONGEST) if free else "" for name, free in zip(names, named.tolist(), strict=True)]
        trace |= {"text": texts, "textposition": "top center", "textfont": {"size": 12}}
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
