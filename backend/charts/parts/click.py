"""Make the cells of a heatmap clickable.

Plotly reports no selected point for a heatmap, so an invisible marker lies on the middle of every cell. The layout lets a
marker answer at any distance, and the marker of a lattice that is nearest to the pointer is always that of the cell under it:
the whole cell can be clicked, large or small. The chosen cell has a frame, which leaves its number readable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CELLS = "cells"
"""What the trace of the markers is called."""
CHOSEN = "chosen cell"
"""What the frame is called: no part of a picture that is not clicked."""
FRAME = (("#FFFFFF", 5), ("#111111", 2))
"""Colours and widths in pixels of the lines of the frame, which stands out on any colour."""


def clickable(figure: go.Figure, *customdata: Sequence[Sequence[Any]], selected: tuple[int, int] | None = None) -> go.Figure:
    """Make the cells of `figure`'s heatmaps report clicks, and return it.

    Each heatmap in order has its `customdata`, `[rows][columns]` of JSON values, unescaped: what `st.plotly_chart(…,
    on_select="rerun", selection_mode="points")` returns as `selection.points[0].customdata`. None for a cell that takes no
    click. `selected` is (row, column) of the cell already chosen, marked in every heatmap that has it. Take it from the URL: a
    click in one of two heatmaps leaves the mark of the last click in the other.

    Raises ValueError where `customdata` does not fit the heatmaps. A figure without heatmaps stays as it is.
    """
    heatmaps = [trace for trace in figure.data if isinstance(trace, go.Heatmap)]
    if not heatmaps:
        return figure
    if len(heatmaps) != len(customdata):
        raise ValueError(f"{len(heatmaps)} heatmaps need as many arrays of customdata, not {len(customdata)}.")
    for trace, keys in zip(heatmaps, customdata, strict=True):
        rows, columns = trace.z.shape
        if len(keys) != rows or any(len(line) != columns for line in keys):
            raise ValueError(f"customdata does not have the heatmap's {rows} rows and {columns} columns.")
        places = [(i, j) for i in range(rows) for j in range(columns) if keys[i][j] is not None]
        figure.add_trace(_markers(trace, keys, places, selected))
        if selected in places:
            _frame(figure, trace, selected)
        trace.update(hoverinfo="skip", hovertemplate=None, hovertext=None)
    figure.layout.hoverdistance = -1
    return figure


def _markers(
    trace: go.Heatmap, keys: Sequence[Sequence[Any]], places: list[tuple[int, int]], chosen: tuple[int, int] | None
) -> go.Scatter:
    """Return one invisible marker a place, with the cell's hover. Small: overlapping markers would tie for the nearest."""
    texts = trace.hovertext
    at = np.array(places, dtype=np.int16).reshape(-1, 2)
    return go.Scatter(
        x=np.ascontiguousarray(at[:, 1]),
        y=np.ascontiguousarray(at[:, 0]),
        xaxis=trace.xaxis,
        yaxis=trace.yaxis,
        mode="markers",
        marker={"opacity": 0, "size": 9, "maxdisplayed": 1},  # of the others no shape is made; all answer to a pointer
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        selectedpoints=[places.index(chosen)] if chosen in places else None,
        customdata=_objects([keys[i][j] for i, j in places]),
        hovertext=_objects([texts[i][j] for i, j in places]) if texts is not None else None,
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
        name=CELLS,
    )


def _frame(figure: go.Figure, trace: go.Heatmap, cell: tuple[int, int]) -> None:
    """Draw a frame around a cell of a heatmap."""
    (row, column), axes = cell, {"xref": trace.xaxis or "x", "yref": trace.yaxis or "y"}
    for colour, width in FRAME:
        around = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
        figure.add_shape(type="rect", name=CHOSEN, line={"color": colour, "width": width}, **around, **axes)


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """`values` as they are in an array, which plotly takes whole, where it would walk through a list of lists."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
