"""Mark the newest column of a heatmap whose columns come one by one, as the checkpoints of a training do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

if TYPE_CHECKING:
    from collections.abc import Sequence

MARK, INK = "newest", "#111111"


def newest_marked(figure: go.Figure, columns: Sequence[str], newest: str | None) -> go.Figure:
    """Frame the column called `newest` of each heatmap of `figure`, which is returned; none where there is no such column.

    Columns lie at their places, 0 and on.

    `columns` are what the columns stand for, in their order. A picture that is kept has no mark: it would soon be wrong.
    """
    if newest is None or newest not in columns:
        return figure
    place = list(columns).index(newest)
    for trace in figure.data:
        if isinstance(trace, go.Heatmap):
            axes = {"xref": trace.xaxis or "x", "yref": f"{trace.yaxis or 'y'} domain"}
            figure.add_shape(type="rect", x0=place - 0.5, x1=place + 0.5, y0=0, y1=1, line={"color": INK, "width": 2}, **axes)
            # Above the column, where no number is, and to the right: the panel's title stands to the left.
            text = {"text": MARK, "font": {"size": 10, "color": INK}, "bgcolor": "rgba(255,255,255,0.85)", "borderpad": 1}
            at = {"x": place + 0.5, "xanchor": "right", "y": 1, "yanchor": "bottom"}
            figure.add_annotation(showarrow=False, **at, **text, **axes)
    return figure
