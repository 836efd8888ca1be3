"""Stacked bars whose parts sum to a whole, a panel each of sources or models; parts below zero lie below the axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from backend.charts.text import number, safe, shortened, wrapped
from backend.charts.theme import AXIS, COLOURS, QUIET, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

PATTERNS = ("", "/", ".", "x")
"""Drawn along with the colour, so that no part is told by colour alone."""
BARS = 26
"""More bars than this in one row of panels have no room for their names."""
PANEL = 300
"""Height of a row of panels in pixels."""


def stacked(
    frame: pd.DataFrame,
    *,
    parts: Mapping[str, str],
    total: str,
    y_title: str,
    title: str = "",
    bars: Sequence[str] | None = None,
    nothing: str = "There is nothing to draw for this selection.",
) -> go.Figure:
    """A stacked bar for each `bar` of each `panel`, in percent of what `frame` has as shares.

    Args:
        frame: Columns `panel`, `bar` and one of each of `parts`; `note` for the text under the pointer where there is any. Rows
            with a missing part are left out.
        parts: Columns and what they are called, from the axis up. What is below zero is stacked down from the axis; a diamond
            marks the sum.
        total: What the sum is called.
        bars: All bars in order, the same in every panel; those that a panel lacks are empty places.
    """
    data = frame.dropna(subset=list(parts))
    if data.empty:
        return empty(nothing, title=title)
    order = list(bars) if bars is not None else sorted(set(data["bar"].astype(str)))
    panels = list(dict.fromkeys(data["panel"].astype(str)))
    across = max(1, min(len(panels), BARS // max(len(order), 1)))
    rows = -(-len(panels) // across)
    figure = make_subplots(
        rows=rows,
        cols=across,
        shared_yaxes="all",
        subplot_titles=[safe(shortened(panel, 44), None) for panel in panels],
        vertical_spacing=min(0.3 / rows, 70 / (PANEL * rows)),
        horizontal_spacing=0.03,
    )
    headings = list(figure.layout.annotations) if len(panels) > 1 else []
    made = make_layout(figure, headings, PANEL * rows + (150 if rows == 1 else 110), title)
    for index, panel in enumerate(panels):
        own = data[data["panel"].astype(str) == panel].set_index("bar").reindex(order)
        place = {"row": index // across + 1, "col": index % across + 1}
        figure.add_traces(_bars(own, parts, total, order, legend=index == 0), rows=place["row"], cols=place["col"])
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=[safe(each) for each in order], showgrid=False)
    figure.update_yaxes(zeroline=True, zerolinecolor=QUIET, zerolinewidth=1.5)
    for row in range(1, rows + 1):
        figure.update_yaxes(title={"text": wrapped(y_title, PANEL - 20), "standoff": 12}, row=row, col=1)
    return made


def make_layout(figure: go.Figure, headings: list[Any], height: int, title: str) -> go.Figure:
    """The layout that all figures share, kept for every panel."""
    domains = {name: figure.layout[name].to_plotly_json() for name in figure.layout if name[1:5] == "axis"}
    layout(figure, height=height, title=title)
    figure.update_layout(barmode="relative", bargap=0.25, annotations=headings)
    figure.update_layout({name: AXIS | axis for name, axis in domains.items()})
    figure.layout.margin.t = 96 if title else 66
    figure.layout.legend.y = 1 + 24 / height
    return figure


def _bars(own: pd.DataFrame, parts: Mapping[str, str], total: str, order: Sequence[str], *, legend: bool) -> list[Any]:
    names = [safe(each) for each in order]
    values = {part: 100 * own[part].to_numpy(np.float64, na_value=np.nan) for part in parts}
    sums = np.sum(list(values.values()), axis=0)
    notes = own["note"].fillna("").tolist() if "note" in own else [""] * len(own)
    hover = [
        f"<b>{name}</b>"
        + "".join(f"<br>{safe(called)}: <b>{number(values[part][i], '.1f')}</b>" for part, called in parts.items())
        + f"<br>{safe(total)}: <b>{number(sums[i], '.1f')}</b>"
        + (f"<br>{safe(notes[i])}" if notes[i] else "")
        for i, name in enumerate(names)
    ]
    shared = {"x": names, "hovertext": hover, "hovertemplate": "%{hovertext}<extra></extra>", "showlegend": legend}
    found: list[Any] = [
        go.Bar(
            y=values[part].astype(np.float32),
            marker={
                "color": COLOURS[i],
                "line": {"width": 0},
                "pattern": {"shape": PATTERNS[i % 4], "size": 6, "solidity": 0.25},
            },
            name=safe(called),
            legendgroup=part,
            **shared,
        )
        for i, (part, called) in enumerate(parts.items())
    ]
    mark = {"symbol": "diamond", "size": 9, "color": "#ffffff", "line": {"width": 2, "color": "#444444"}}
    sum_of = go.Scatter(y=sums.astype(np.float32), mode="markers", marker=mark, name=safe(total), legendgroup="total", **shared)
    return [*found, sum_of]
