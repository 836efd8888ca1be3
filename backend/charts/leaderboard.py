"""The leaderboard: one score a source as a point with its interval, the best on top or group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.groups import add_groups, room
from isogloss.backend.charts.parts.text import name_of, number, safe, shorten
from isogloss.backend.charts.parts.theme import AXIS, QUIET, SYMBOLS, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

OTHERS = "#8A8A8A"
"""Of what is not highlighted: a contrast of at least 3 on white and on near-black."""
ROW = 26
"""Pixels a source."""
APART = 0.05
"""Of a score: what the axis shows to both sides, where all scores lie closer together."""


def leaderboard(
    frame: pd.DataFrame,
    *,
    groups: Mapping[str, str],
    value_title: str,
    colours: Mapping[str, str] | None = None,
    grouped: bool = True,
    baseline: str | None = None,
    title: str = "",
    form: str = ".3f",
) -> go.Figure:
    """Draw a point for each row of `frame`, from top to bottom, with its 95% interval and its number.

    `frame` has the columns `source`, `name`, `group`, `score` (rows without one are left out), `low`, `high`, `targets` and
    `seeds`, and may have `note`, which ends the hover. `groups` are their labels in the order drawn; each has its own symbol.
    `value_title` is the score with its unit and direction, `form` its format. `colours` has those of the sources to highlight,
    by `source`; the others are grey. `grouped` draws group after group, each with a bracket, else the lowest score first.
    `baseline` is the source whose score the others are to beat: a dotted line.
    """
    known = frame[np.isfinite(frame["score"].to_numpy(np.float64))]
    if known.empty:
        return empty("No source has a score for this selection.", title=title)
    ranks = {group: place for place, group in enumerate(groups)}
    by = known.assign(rank=known["group"].map(ranks)).sort_values(
        ["rank", "score"] if grouped else ["score", "rank"], kind="stable", ignore_index=True
    )
    figure = layout(go.Figure(), height=110 + ROW * max(len(by), 4), title=title)
    figure.add_traces(_intervals(by, colours or {}))  # below the points, which are wider than short intervals
    for place, (group, name) in enumerate(groups.items()):
        own = by[by["group"] == group]
        if len(own):
            figure.add_trace(_points(own, name, SYMBOLS[place % len(SYMBOLS)], colours or {}, value_title, form))
    labels = [
        _label(str(row["name"]), float(row["score"]), form, strong=row["source"] in (colours or {}))
        for row in by.to_dict("records")
    ]
    down = {"tickmode": "array", "tickvals": list(range(len(by))), "ticktext": labels, "showgrid": True}
    figure.layout.yaxis = AXIS | down | {"range": [len(by) - 0.4, -0.6]}
    across = {"title": AXIS["title"] | {"text": safe(value_title, None)}}
    figure.layout.xaxis = AXIS | across
    if grouped:
        names = [groups[group] for group in by["group"]]
        add_groups(figure, names)
        figure.layout.margin.r = room(names)
        figure.update_shapes(line={"color": QUIET, "width": 1.5})  # white ones would shout where no cells are below them
    figure.layout.showlegend = not grouped  # the brackets say it
    ends = by[["score", "low", "high"]].to_numpy(np.float64)
    least, most = np.nanmin(ends), np.nanmax(ends)
    beyond = APART if most - least < APART else 0.03 * (most - least)  # one score: digits without end would be its axis
    figure.layout.xaxis.range = [least - beyond, most + beyond]  # or the longest interval would seem to be cut off
    for score in by.loc[by["source"] == baseline, "score"]:
        _add_baseline(figure, float(score))
    return figure


def _add_baseline(figure: go.Figure, score: float) -> None:
    """Draw the line, and say what it is in a row of its own below the last: above is the legend."""
    down = {"yref": "y domain", "layer": "below"}
    figure.add_shape(type="line", x0=score, x1=score, y0=0, y1=1, line={"color": QUIET, "width": 1.5, "dash": "dot"}, **down)
    low, high = figure.layout.yaxis.range
    figure.layout.yaxis.range = [low + 0.5, high]
    below = {"y": 0, "yref": "y domain", "xanchor": "left", "yanchor": "bottom", "xshift": 3}
    figure.add_annotation(x=score, text="to beat", showarrow=False, font={"size": 12, "color": OTHERS}, **below)


def _points(rows: pd.DataFrame, group: str, symbol: str, colours: Mapping[str, str], value_title: str, form: str) -> go.Scatter:
    return go.Scatter(
        x=np.ascontiguousarray(rows["score"], np.float32),
        y=rows.index.to_numpy(),
        mode="markers",
        marker={
            "symbol": symbol,
            "size": [13 if source in colours else 10 for source in rows["source"]],
            "color": [colours.get(source, OTHERS) for source in rows["source"]],
            "opacity": 1,  # plotly takes points of several sizes for overlapping bubbles
            "line": {"width": 0},
        },
        name=safe(group),
        hovertext=[_hover(row, group, value_title, form) for row in rows.to_dict("records")],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _intervals(rows: pd.DataFrame, colours: Mapping[str, str]) -> list[go.Scatter]:
    """Draw a line from low to high for each row that has both, those of a colour as one trace: error bars would share one."""
    ends = rows.loc[np.isfinite(rows[["low", "high"]].to_numpy(np.float64)).all(axis=1), ["source", "low", "high"]]
    line_of = [(colours.get(source, QUIET), 3 if source in colours else 2) for source in ends["source"]]
    return [
        go.Scatter(
            x=own[["low", "high"]].assign(gap=np.nan).to_numpy(np.float32).ravel(),
            y=np.repeat(own.index.to_numpy(), 3),
            mode="lines",
            line={"color": colour, "width": width},
            hoverinfo="skip",
            showlegend=False,
        )
        for (colour, width) in dict.fromkeys(line_of)
        for own in [ends[[each == (colour, width) for each in line_of]]]
    ]


def _label(name: str, score: float, form: str, *, strong: bool) -> str:
    shown = safe(shorten(name, 34))
    return f"{f'<b>{shown}</b>' if strong else shown}  {number(score, form)}"


def _hover(row: Mapping[Any, Any], group: str, value_title: str, form: str) -> str:
    values = {name: float(row[name]) for name in ("score", "low", "high", "targets", "seeds")}
    text = f"<b>{safe(row['name'])}</b> ({safe(group)})<br>{safe(name_of(value_title))}: <b>{number(values['score'], form)}</b>"
    if np.isfinite(values["low"]) and np.isfinite(values["high"]):
        text += f"<br>95% interval: {number(values['low'], form)} to {number(values['high'], form)}"
    text += f"<br>Targets: {values['targets']:.0f}"
    text += f"<br>Training seeds: {values['seeds']:.0f}" if np.isfinite(values["seeds"]) else ""
    return text + (f"<br>{safe(row['note'], None)}" if row.get("note") else "")
