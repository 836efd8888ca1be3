"""Brackets beside a heatmap that say which rows belong to one family or script."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.parts.text import safe, shorten
from isogloss.backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go
    from numpy.typing import NDArray

AT_BRACKET, AT_NAME = 12, 16
"""Pixels right of the cells."""
LONGEST = 18
"""Characters of a group's name at most."""
CHARACTER = 6.4
"""Width of a character of a name in pixels, on average."""


def add_groups(
    figure: go.Figure,
    rows: Sequence[str],
    *,
    bracketed: bool = True,
    columns: Sequence[str] | None = None,
    panel: str = "",
    there: NDArray[np.bool_] | None = None,
) -> go.Figure:
    """Part neighbouring groups by lines across the cells of a panel (on axes "x" and "y" followed by `panel`).

    `rows` and `columns` name the group of each. `bracketed`: each run of equal `rows` has a bracket with its name in the right
    margin, where `room` says what they take. `there` `[rows, columns]` says which cells are drawn: a line goes as far as
    they, since white ones would shout in the empty half of a triangle on a dark page. Without it, from end to end.
    """
    line = {"type": "line", "line": {"color": "rgba(255,255,255,0.85)", "width": 1.5}}
    x, y = f"x{panel}", f"y{panel}"
    for at in _edges(rows):
        figure.add_shape(line | _span("x", panel, there, at), yref=y, y0=at, y1=at)
    for at in _edges(columns or ()):
        figure.add_shape(line | _span("y", panel, None if there is None else there.T, at), xref=x, x0=at, x1=at)
    return _bracket(figure, rows, y) if bracketed else figure


def room(groups: Sequence[str]) -> int:
    """Return the pixels that brackets and names of `groups` take in the right margin."""
    return AT_NAME + 8 + int(CHARACTER * max((len(shorten(name, LONGEST)) for name in groups), default=0))


def _span(axis: str, panel: str, there: NDArray[np.bool_] | None, at: float) -> dict[str, Any]:
    """Return from where to where cells are drawn on either side of the edge `at` of the first axis of `there`."""
    if there is None:
        return {f"{axis}ref": f"{axis}{panel} domain", f"{axis}0": 0, f"{axis}1": 1}
    places = np.flatnonzero(there[int(at - 0.5)] | there[int(at + 0.5)])
    ends = (places[0] - 0.5, places[-1] + 0.5) if len(places) else (at, at)
    return {f"{axis}ref": f"{axis}{panel}", f"{axis}0": float(ends[0]), f"{axis}1": float(ends[1])}


def _edges(groups: Sequence[str]) -> list[float]:
    """Return the places between neighbours of different groups."""
    return [place + 0.5 for place, (one, other) in enumerate(pairwise(groups)) if one != other]


def _bracket(figure: go.Figure, groups: Sequence[str], y: str) -> go.Figure:
    """Bracket and name each run of equal `groups`, in pixels from the right end of the cells: shares differ with the width."""
    start = 0
    for name, members in groupby(groups):
        stop = start + sum(1 for _ in members)
        top, bottom = start - 0.38, stop - 0.62
        beside = {"xref": "paper", "xsizemode": "pixel", "xanchor": 1, "yref": y, "line": {"color": QUIET, "width": 1.5}}
        figure.add_shape(type="line", x0=AT_BRACKET, x1=AT_BRACKET, y0=top, y1=bottom, **beside)
        for edge in (top, bottom):
            figure.add_shape(type="line", x0=AT_BRACKET - 6, x1=AT_BRACKET, y0=edge, y1=edge, **beside)
        figure.add_annotation(
            x=1,
            xshift=AT_NAME,
            y=(top + bottom) / 2,
            xref="paper",
            yref=y,
            xanchor="left",
            yanchor="middle",
            text=safe(name, LONGEST),
            showarrow=False,
            font={"size": 12},
        )
        start = stop
    return figure
