"""Scatter one number of every source against another, a point a source; panels side by side share the vertical axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.named import LONGEST, free_names
from isogloss.backend.charts.parts.text import name_of, number, safe, shorten, wrap_title
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, SYMBOLS, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

LABELLED = 14
"""Points of a single panel that have their names beside them; more would hide one another."""
GAP = 0.03
"""Between panels, of the width."""
WIDTH = 820.0
"""Pixels that all panels together are taken to have on a 1280-pixel screen."""
ABOVE = {
    "y": 1,
    "yshift": 4,
    "xref": "paper",
    "yref": "paper",
    "xanchor": "left",
    "yanchor": "bottom",
    "align": "left",
    "showarrow": False,
    "font": {"size": 13},
}
"""A panel's heading."""
ROOM = 0.07
"""Of an axis' span, beyond its outermost points."""
LABELS_ROOM = 0.16
"""The same along an axis where names stand beside the points."""


def sources_scatter(
    frame: pd.DataFrame,
    *,
    x_title: str,
    y_title: str,
    groups: Mapping[str, str],
    panels: Mapping[str, str] | None = None,
    highlighted: Sequence[str] = (),
    x_form: str = ".3f",
    y_form: str = ".1f",
    title: str = "",
) -> go.Figure:
    """Draw a point for each row of `frame` that has both numbers.

    `frame` has the columns `source`, `name`, `group`, `x` and `y`; with `panels` also `panel`. `groups` says what each group is
    called; each has a colour and a symbol of its own. `panels` says what stands over each panel, such as its correlation, from
    left to right; a panel may have no point. Sources `highlighted` are larger and named; many are not larger, and named in a
    single panel alone, where their names hide no other. `x_form` and `y_form` are formats of the numbers in the hover.
    """
    known = np.isfinite(frame["x"].to_numpy(np.float64)) & np.isfinite(frame["y"].to_numpy(np.float64))
    data = frame[known]
    if data.empty:
        return empty("No source has both numbers yet.", title=title)
    headings = dict(panels or {"": ""})
    figure = layout(go.Figure(), height=430, title=title)
    labelled = len(headings) == 1 and len(data) <= LABELLED
    seen: set[str] = set()
    strong = data["source"].astype(str).isin(list(highlighted))
    data = data.assign(strong=strong, named=strong | labelled)
    if strong.sum() > LABELLED * len(headings):
        data = data.assign(strong=False, named=_free(data) if len(headings) == 1 else False)
    for place, panel in enumerate(headings):
        own = data if panels is None else data[data["panel"] == panel]
        for rank, (group, name) in enumerate(groups.items()):
            points = own[own["group"] == group]
            if len(points):
                trace = _points(points, x_title, y_title, x_form, y_form)
                look = {"color": COLOURS[rank % len(COLOURS)], "symbol": SYMBOLS[rank % len(SYMBOLS)]}
                trace["marker"] |= look
                legend = {"name": safe(name), "legendgroup": safe(group, None), "showlegend": group not in seen}
                figure.add_trace(trace | legend | {"xaxis": _axis("x", place), "yaxis": "y"})
                seen.add(group)
    _axes(figure, data, list(headings.values()), x_title, y_title, labelled=labelled)
    return figure


def _free(data: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which points of the only panel, those with a name, have room for it (`free_names`)."""
    able = data["named"].to_numpy(np.bool_, copy=True)
    sizes = {"x": WIDTH, "y": 240.0}
    x, y = (data.loc[able, each].to_numpy(np.float64) * pixels / (np.ptp(data[each]) or 1.0) for each, pixels in sizes.items())
    able[able] = free_names(x, y, data.loc[able, "name"].astype(str).tolist())
    return able


def _points(points: pd.DataFrame, x_title: str, y_title: str, x_form: str, y_form: str) -> dict[str, Any]:
    names = [
        "" if not named else f"<b>{safe(shorten(name, LONGEST))}</b>" if strong else safe(shorten(name, LONGEST))
        for name, strong, named in zip(points["name"], points["strong"], points["named"], strict=True)
    ]
    across, up = safe(name_of(x_title), None), safe(name_of(y_title), None)
    return {
        "type": "scatter",
        "x": np.ascontiguousarray(points["x"], np.float32),
        "y": np.ascontiguousarray(points["y"], np.float32),
        "mode": "markers+text",
        "text": names,
        "textposition": "top center",
        "textfont": {"size": 12},
        "cliponaxis": False,
        "marker": {"size": [13 if strong else 9 for strong in points["strong"]], "opacity": 1, "line": {"width": 0}},
        "hovertext": [
            f"<b>{safe(name)}</b><br>{across}: <b>{number(float(x), x_form)}</b><br>{up}: <b>{number(float(y), y_form)}</b>"
            for name, x, y in zip(points["name"], points["x"], points["y"], strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _axis(letter: str, place: int) -> str:
    return letter if place == 0 else f"{letter}{place + 1}"


def _axes(
    figure: go.Figure, data: pd.DataFrame, headings: Sequence[str], x_title: str, y_title: str, *, labelled: bool
) -> None:
    width = (1 - GAP * (len(headings) - 1)) / len(headings)
    across = _range(data["x"].to_numpy(np.float64), LABELS_ROOM if labelled else ROOM)
    text: dict[str, Any] = {"text": wrap_title(x_title, WIDTH * width), "standoff": 8}
    for place, heading in enumerate(headings):
        left = place * (width + GAP)
        axis = AXIS | {"title": AXIS["title"] | text, "domain": [left, left + width], "anchor": "y", "range": across}
        figure.layout[f"xaxis{'' if place == 0 else place + 1}"] = axis
        if heading:
            figure.add_annotation(ABOVE, x=left, text=safe(heading, None))
    up = {"text": wrap_title(y_title, figure.layout.height - 130), "standoff": 10}
    figure.update_yaxes(
        title=AXIS["title"] | up, range=_range(data["y"].to_numpy(np.float64), LABELS_ROOM if labelled else ROOM)
    )
    # Above is where the headings stand; below, the axis' title takes a line or two.
    down = (30 + 17 * (1 + text["text"].count("<br>"))) / (figure.layout.height - 190)
    figure.update_layout(legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -down, "yanchor": "top"})


def _range(values: np.ndarray, room: float) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    span = (high - low) or abs(low) or 1.0
    return low - room * span, high + room * span
