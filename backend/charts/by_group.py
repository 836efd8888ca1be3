"""A measure of languages by group: a row a group, a dot a language, the group's mean with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.notes import add_notes
from isogloss.backend.charts.parts.text import name_of, number, safe, wrap_title
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, QUIET, empty, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

ROW = 26
"""Pixels a row: a label takes 16."""
LONGEST = 28
"""Characters of a group's name at most."""
WIDTH = 820.0
APART = 0.22
"""How far dots stand from the middle of their row at most, so that equal ones are seen."""


def by_group(
    points: pd.DataFrame,
    means: pd.DataFrame,
    *,
    value_title: str,
    title: str = "",
    notes: Sequence[str] = (),
    form: str = ".3f",
) -> go.Figure:
    """Draw the languages of `points` (name, group, value) in rows of `means` (group, value, low, high, n), from the top.

    Points without a value or of a group that has no mean are left out. `notes` are lines of text over it.
    """
    if means.empty:
        return empty("No language has a value and a known group.", title=title)
    groups = means["group"].tolist()
    row_of = {group: row for row, group in enumerate(groups)}
    own = points[np.isfinite(points["value"].to_numpy(np.float64)) & points["group"].isin(groups)]
    own = own.sort_values(["group", "value", "name"], ignore_index=True)
    figure = layout(go.Figure(), height=110 + ROW * max(len(groups), 4), title=title)
    what = safe(name_of(value_title))
    within = own.groupby("group").cumcount().to_numpy()
    side = APART * np.where(within % 3 == 0, 0, np.where(within % 3 == 1, -1, 1))
    rows = own["group"].map(row_of).to_numpy(np.float32)
    figure.add_scatter(
        x=own["value"].to_numpy(np.float32),
        y=(rows + side).astype(np.float32),
        mode="markers",
        marker={"color": COLOURS[0], "size": 7, "opacity": 0.6},
        hovertext=[
            f"<b>{safe(name)}</b><br>{safe(group)}<br>{what}: <b>{number(value, form)}</b>"
            for name, group, value in zip(own["name"], own["group"], own["value"], strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        name="language",
    )
    _add_means(figure, means, what, form)
    figure.layout.xaxis = AXIS | {"title": AXIS["title"] | {"text": wrap_title(value_title, WIDTH)}}
    labels = [f"{safe(group, LONGEST)} ({n})" for group, n in zip(groups, means["n"], strict=True)]
    ticks = {"tickmode": "array", "tickvals": list(range(len(groups))), "ticktext": labels}
    figure.layout.yaxis = AXIS | ticks | {"range": [len(groups) - 0.5, -0.5]}
    figure.layout.showlegend = False
    add_notes(figure, [*notes, "Dots: languages. Bars: means of groups, with their 95% intervals"])
    return figure


def _add_means(figure: go.Figure, means: pd.DataFrame, what: str, form: str) -> None:
    value, low, high = (means[name].to_numpy(np.float64) for name in ("value", "low", "high"))
    hover = []
    for group, mean, least, most, n in means[["group", "value", "low", "high", "n"]].itertuples(index=False):
        bounds = f"<br>95% interval: {number(least, form)} to {number(most, form)}" if least == least else ""
        hover.append(f"<b>{safe(group)}</b>, mean<br>{what}: <b>{number(mean, form)}</b>{bounds}<br>Languages: {n}")
    figure.add_scatter(
        x=value.astype(np.float32),
        y=np.arange(len(means), dtype=np.float32),
        mode="markers",
        marker={"color": QUIET, "symbol": "line-ns-open", "size": 15, "line": {"width": 3}},
        error_x={
            "array": np.nan_to_num(high - value),
            "arrayminus": np.nan_to_num(value - low),
            "color": QUIET,
            "thickness": 2,
        },
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        name="mean, 95% interval",
    )
