"""Stacked bars whose parts sum to a whole, a panel each of sources or models; parts below zero lie below the axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.axes import turned_room
from isogloss.backend.charts.parts.levels import add_levels
from isogloss.backend.charts.parts.panels import axes_of, heading, place_of
from isogloss.backend.charts.parts.text import number, safe, wrap_title
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, QUIET, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

PATTERN = {"fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.55, "size": 7, "solidity": 0.2}
SHAPES = ("", "/", ".", "x")
"""Drawn along with the colour, so that no part is told by colour alone."""
BARS = 32
"""More bars than this in one row of panels have no room for their names."""
WIDTH = 870.0
"""Pixels that the panels of a row have together on a 1280-pixel screen."""
PANEL, LOW_PANEL = 320, 230
"""Height of a row of panels in pixels, and where there are more rows than two."""


def stacked_bars(
    frame: pd.DataFrame,
    *,
    parts: Mapping[str, str],
    total: str,
    y_title: str,
    title: str = "",
    bars: Sequence[str] | None = None,
    levels: Mapping[str, float] | None = None,
    nothing: str = "There is nothing to draw for this selection.",
) -> go.Figure:
    """Draw a stacked bar for each `bar` of each `panel`; shares of `frame` are drawn as percent.

    `frame` has the columns `panel`, `bar` and one of each of `parts`, and may have `note`, for the text under the pointer. Rows
    with a missing part are left out. `parts` are columns and what they are called, from the axis up; what is below zero is
    stacked down from the axis. A diamond marks the sum, called `total`. `bars` are all bars in order, the same in every panel;
    those that a panel lacks are empty places. Dotted lines stand at `levels`, name → share: the sums that guessing gives.
    """
    data = frame.dropna(subset=list(parts))
    if data.empty:
        return empty(nothing, title=title)
    order = list(bars) if bars is not None else sorted(set(data["bar"].astype(str)))
    names = data["panel"].astype(str)
    panels = list(dict.fromkeys(names))
    across = max(1, min(len(panels), BARS // max(len(order), 1)))
    rows = -(-len(panels) // across)
    size = min(9.0, max(3.0, WIDTH / across / len(order)))
    traces: list[dict[str, Any]] = []
    for index, panel in enumerate(panels):
        own = data[names == panel].set_index("bar").reindex(order)
        traces += [trace | axes_of(index) for trace in _bars(own, parts, total, order, size, legend=index == 0)]
    below = turned_room(order, WIDTH / across)
    panel_height = (LOW_PANEL if rows > 2 else PANEL) + below
    height = panel_height * rows + 130
    headed = len(panels) > 1
    top = (66 if title else 36) + 36 * headed
    shared = layout(go.Figure(), height=height, title=title).layout.to_plotly_json()
    wrapped = wrap_title(y_title, panel_height - below - 20 if rows < 3 else 2 * panel_height)
    changed = {
        "barmode": "relative",
        "bargap": 0.25,
        "margin": shared["margin"] | {"t": top},
        "legend": shared["legend"] | {"y": 1 + (34 if headed else 6) / (height - top)},
    }
    figure = go.Figure()
    figure.add_traces(traces)
    # At once, and not through plotly's own subplots: these take longer than all the numbers of a large figure.
    figure.layout = shared | changed | _axes(panels, across, rows, order, (60 + below) / (panel_height * rows), wrapped)
    return add_levels(figure, {name: 100 * share for name, share in (levels or {}).items()}, panels=len(panels))


def _axes(panels: Sequence[str], across: int, rows: int, order: Sequence[str], between: float, y_title: str) -> dict[str, Any]:
    """Return the axes of every panel, row by row from the top, one scale for all; and the panels' names over them."""
    axes: dict[str, Any] = {}
    headings = []
    for index, panel in enumerate(panels):
        place, which = place_of(index, across, rows, between), "" if index == 0 else str(index + 1)
        axes[f"xaxis{which}"] = AXIS | {
            "domain": place.x,
            "anchor": f"y{which}",
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [safe(each) for each in order],
            "range": [-0.5, len(order) - 0.5],
            "showgrid": False,
        }
        axes[f"yaxis{which}"] = AXIS | {
            "domain": place.y,
            "anchor": f"x{which}",
            "zeroline": True,
            "zerolinecolor": QUIET,
            "zerolinewidth": 1.5,
            "showticklabels": place.column == 0,
            **({"matches": "y"} if index else {}),
        }
        if place.column == 0 and place.row == (rows - 1) // 2:
            axes[f"yaxis{which}"]["title"] = AXIS["title"] | {"text": y_title, "standoff": 12}
        headings.append(heading(panel, place))
    return axes | {"annotations": headings if len(panels) > 1 else []}


def _bars(
    panel_rows: pd.DataFrame, parts: Mapping[str, str], total: str, order: Sequence[str], size: float, *, legend: bool
) -> list[dict[str, Any]]:
    names = [safe(each) for each in order]
    values = {part: 100 * panel_rows[part].to_numpy(np.float64, na_value=np.nan) for part in parts}
    sums = np.sum(list(values.values()), axis=0)
    notes = panel_rows["note"].fillna("").tolist() if "note" in panel_rows else [""] * len(panel_rows)
    hover = [
        f"<b>{name}</b>"
        + "".join(f"<br>{safe(called)}: <b>{number(values[part][i], '.1f')}</b>" for part, called in parts.items())
        + f"<br>{safe(total)}: <b>{number(sums[i], '.1f')}</b>"
        + (f"<br>{safe(notes[i], None)}" if notes[i] else "")
        for i, name in enumerate(names)
    ]
    shared = {"x": names, "hovertext": hover, "hovertemplate": "%{hovertext}<extra></extra>", "showlegend": legend}
    bars: list[dict[str, Any]] = [
        {
            "type": "bar",
            "y": values[part].astype(np.float32),
            "marker": {"color": COLOURS[i], "line": {"width": 0}, "pattern": PATTERN | {"shape": SHAPES[i % len(SHAPES)]}},
            "name": safe(called),
            "legendgroup": part,
            **shared,
        }
        for i, (part, called) in enumerate(parts.items())
    ]
    mark = {"symbol": "diamond", "size": size, "color": "#ffffff", "line": {"width": size / 4.5, "color": "#444444"}}
    dots = {"type": "scatter", "y": sums.astype(np.float32), "mode": "markers", "marker": mark, "name": safe(total)}
    return [*bars, dots | {"legendgroup": "total"} | shared]
