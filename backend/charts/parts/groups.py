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
    across = [line | _span("x", panel, there, at) | {"yref": y, "y0": at, "y1": at} for at in _edges(rows)]
    turned = None if there is None else there.T
    down = [line | _span("y", panel, turned, at) | {"xref": x, "x0": at, "x1": at} for at in _edges(columns or ())]
    lines, names = _brackets(rows, y) if bracketed else ([], [])
    layout = figure.layout  # all at once: each by itself, plotly checks all that are there again
    layout.shapes = [*layout.shapes, *across, *down, *lines]
    layout.annotations = [*layout.annotations, *names]
    return figure


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


def _brackets(groups: Sequence[str], y: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the bracket of each run of equal `groups`, and its name, in pixels from the cells: not in shares of the width."""
    shapes, names = [], []
    start = 0
    for name, members in groupby(groups):
        stop = start + sum(1 for _ in members)
        top, bottom = start - 0.38, stop - 0.62
        beside = {"xref": "paper", "xsizemode": "pixel", "xanchor": 1, "yref": y, "line": {"color": QUIET, "width": 1.5}}
        beside |= {"type": "line", "x1": AT_BRACKET}
        shapes.append(beside | {"x0": AT_BRACKET, "y0": top, "y1": bottom})
        shapes += [beside | {"x0": AT_BRACKET - 6, "y0": edge, "y1": edge} for edge in (top, bottom)]
        names.append(
            {
                "x": 1,
                "xshift": AT_NAME,
                "y": (top + bottom) / 2,
                "xref": "paper",
                "yref": y,
                "xanchor": "left",
                "yanchor": "middle",
                "text": safe(name, LONGEST),
                "showarrow": False,
                "font": {"size": 12},
            }
        )
        start = stop
    return shapes, names
