"""Mark the newest column of a heatmap whose columns come one by one, as the checkpoints of a training do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

if TYPE_CHECKING:
    from collections.abc import Sequence

MARK = "▼ newest"


def newest_marked(figure: go.Figure, columns: Sequence[str], newest: str | None) -> go.Figure:
    """Set `MARK` over the column called `newest` of each heatmap of `figure`, which is returned; over none where it has none.

    `columns` are what the columns stand for, in their order. A picture that is kept has no mark: it would soon be wrong.
    """
    if newest not in columns:
        return figure
    place = list(columns).index(newest)
    for trace in figure.data:
        if isinstance(trace, go.Heatmap):
            axis = trace.xaxis or "x"
            figure.add_annotation(
                text=MARK,
                x=place if trace.x is None else trace.x[place],
                xref=axis,
                y=1,
                yref=f"{(trace.yaxis or 'y')} domain",
                yanchor="bottom",
                xanchor="right" if place == len(columns) - 1 else "center",
                showarrow=False,
                font={"size": 11},
            )
    return figure
