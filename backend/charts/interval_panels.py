"""Measures of the same things side by side: a panel a measure, a row a thing, each value with its interval and its chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.panels import BESIDE, axes_of
from isogloss.backend.charts.parts.text import name_of, number, safe, shorten, wrap_title
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, QUIET, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

ROW = 44
"""Pixels a row."""
WIDTH = 860
"""Pixels that all panels together are taken to have on a 1280-pixel screen."""


def interval_panels(
    rows: pd.DataFrame, panels: Mapping[str, str], *, colours: Mapping[str, str], chance: str, title: str = ""
) -> go.Figure:
    """Draw a panel for each of `panels`, the key of its measure → the title of its axis, with its unit and direction.

    `rows` have the columns name, measure, value, low, high, chance, p and n; rows without a value are left out, and so is an
    interval without ends. All panels share the rows from top to bottom, in the order given. `chance` names the open mark.
    """
    known = rows[np.isfinite(rows["value"].to_numpy(np.float64))]
    if known.empty:
        return empty("No measure is defined for this selection.", title=title)
    names = list(dict.fromkeys(rows["name"]))
    figure = layout(go.Figure(), height=150 + ROW * max(len(names), 2), title=title)
    width = (1 - BESIDE * (len(panels) - 1)) / len(panels)
    for place, (measure, axis_title) in enumerate(panels.items()):
        for row in known[known["measure"] == measure].to_dict("records"):
            y = names.index(row["name"])
            colour = colours.get(row["name"], COLOURS[0])
            figure.add_traces([_interval(row, y, colour, place), _point(row, y, colour, place, name_of(axis_title))])
        own = known[known["measure"] == measure]
        figure.add_trace(_chances(own, [names.index(name) for name in own["name"]], place, chance, seen=place == 0))
        letter = "" if place == 0 else str(place + 1)
        left = place * (width + BESIDE)
        heading = AXIS["title"] | {"text": wrap_title(axis_title, WIDTH / len(panels))}
        figure.layout[f"xaxis{letter}"] = AXIS | {"title": heading, "domain": [left, left + width], "anchor": f"y{letter}"}
        shown = [safe(shorten(name, 28)) for name in names]
        labels = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": shown}
        ends = {"range": [len(names) - 0.5, -0.5], "showticklabels": place == 0, "anchor": f"x{letter}"}
        figure.layout[f"yaxis{letter}"] = AXIS | labels | ends
    figure.layout.showlegend = True
    return figure


def _interval(row: Mapping[Any, Any], y: int, colour: str, place: int) -> go.Scatter:
    ends = np.array([row["low"], row["high"]], np.float32)
    line = {"color": colour, "width": 3}
    return go.Scatter(x=ends, y=[y, y], mode="lines", line=line, hoverinfo="skip", showlegend=False, **axes_of(place))


def _point(row: Mapping[Any, Any], y: int, colour: str, place: int, measure: str) -> go.Scatter:
    text = f"<b>{safe(row['name'])}</b><br>{safe(measure)}: <b>{number(row['value'])}</b>"
    if np.isfinite(row["low"]):
        text += f"<br>95% interval: {number(row['low'])} to {number(row['high'])}"
    text += f"<br>Chance: {number(row['chance'])}, p = {number(row['p'], '.2f')}<br>Utterances: {row['n']:,.0f}"
    return go.Scatter(
        x=np.array([row["value"]], np.float32),
        y=[y],
        mode="markers+text",
        text=[number(round(row["value"], 2) + 0.0, ".2f")],  # no −0.00
        textposition="top center",
        marker={"color": colour, "size": 11},
        hovertext=[text],
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
        cliponaxis=False,
        **axes_of(place),
    )


def _chances(rows: pd.DataFrame, places: list[int], place: int, name: str, *, seen: bool) -> go.Scatter:
    return go.Scatter(
        x=np.ascontiguousarray(rows["chance"], np.float32),
        y=places,
        mode="markers",
        marker={"symbol": "line-ns", "size": 16, "line": {"width": 2, "color": QUIET}},
        name=safe(name),
        hoverinfo="skip",
        showlegend=seen,
        **axes_of(place),
    )
