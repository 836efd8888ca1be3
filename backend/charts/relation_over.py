"""Correlations at each checkpoint or layer with their intervals; those that permutation tells from 0 are filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.axes import category_axis
from isogloss.backend.charts.parts.hatch import LEVEL
from isogloss.backend.charts.parts.paper import add_level
from isogloss.backend.charts.parts.text import number, safe
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, QUIET, SYMBOLS, empty, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

TITLE = "Correlation (−1 to 1, 0 = unrelated)"


def relation_over(frame: pd.DataFrame, *, names: Sequence[str], axis: str, title: str = "") -> go.Figure:
    """Draw a line a statistic over places in the frame's order (de Seyssel et al. 2025, figure 7).

    `frame` has the columns statistic, value, low, high, p, n; `names` are what its places are called on the `axis`.
    A filled marker has p < 0.05, an open one has not.
    """
    if frame["value"].notna().sum() == 0:
        return empty("No correlation is defined here.", title=title)
    figure = layout(go.Figure(), height=360, title=title)
    for rank, (statistic, statistic_rows) in enumerate(frame.groupby("statistic", sort=True)):
        places = np.arange(len(statistic_rows))
        values, low, high, p = (statistic_rows[column].to_numpy(np.float64) for column in ("value", "low", "high", "p"))
        symbols = [SYMBOLS[rank] if each < LEVEL else f"{SYMBOLS[rank]}-open" for each in p.tolist()]
        hover = [
            f"<b>{safe(names[i])}</b><br>{safe(statistic)}: <b>{number(values[i], '.2f')}</b> "
            f"[{number(low[i], '.2f')}, {number(high[i], '.2f')}]<br>p = {number(p[i], '.3f')}, {n} points"
            for i, n in enumerate(statistic_rows["n"].tolist())
        ]
        whiskers = {"type": "data", "symmetric": False, "array": high - values, "arrayminus": values - low}
        figure.add_trace(
            go.Scatter(
                x=places,
                y=values.astype(np.float32),
                mode="lines+markers",
                line={"color": COLOURS[rank], "width": 2},
                marker={"symbol": symbols, "size": 10, "line": {"width": 2}},
                error_y=whiskers | {"color": QUIET, "thickness": 1.2, "width": 2},
                name=safe(statistic),
                hovertext=hover,
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    add_level(figure, 0, {"color": QUIET, "dash": "dot"})
    figure.layout.xaxis = category_axis(tuple(map(str, names)), axis, pixels=820.0, horizontal=True)
    figure.layout.yaxis = AXIS | {"title": AXIS["title"] | {"text": f"{TITLE}<br>filled: p < 0.05"}, "range": [-1.05, 1.05]}
    return figure
