"""Dotted lines at what guessing gives: chance, and always the most frequent label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.charts.parts.text import number, safe
from isogloss.backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Mapping

    import plotly.graph_objects as go

LINE = {"color": QUIET, "width": 1.5, "dash": "dot"}


def add_levels(
    figure: go.Figure,
    levels: Mapping[str, float],
    *,
    axis: Literal["x", "y"] = "y",
    falling: bool = False,
    panels: int = 1,
    form: str = ".1f",
) -> go.Figure:
    """Draw a dotted line at each of `levels` (name → value on `axis`, in its unit) in every panel; return `figure`.

    `falling` lines start there where x is 0, and fall as x rises: what is left of an error when x is taken off. Names stand in
    the first panel, apart from each other.
    """
    for place, (name, value) in enumerate(sorted(levels.items(), key=lambda each: each[1])):
        for panel in range(panels):
            figure.add_shape(
                type="line", line=LINE, layer="below", **_ends(value, axis, "" if panel == 0 else str(panel + 1), falling)
            )
        above = place == len(levels) - 1
        figure.add_annotation(
            text=f"{safe(name)} {number(value, form)}",
            showarrow=False,
            font={"size": 12},
            opacity=0.75,
            **_beside(value, axis, above, falling),
        )
    return figure


def _ends(value: float, axis: str, number_of: str, falling: bool) -> dict[str, Any]:
    if falling:
        return {"xref": f"x{number_of}", "yref": f"y{number_of}", "x0": 0, "y0": value, "x1": value, "y1": 0}
    if axis == "y":
        return {"xref": f"x{number_of} domain", "yref": f"y{number_of}", "x0": 0, "x1": 1, "y0": value, "y1": value}
    return {"xref": f"x{number_of}", "yref": f"y{number_of} domain", "x0": value, "x1": value, "y0": 0, "y1": 1}


def _beside(value: float, axis: str, above: bool, falling: bool) -> dict[str, Any]:
    if axis == "x":
        side = {"xanchor": "left", "xshift": 3} if above else {"xanchor": "right", "xshift": -3}
        return {"x": value, "xref": "x", "y": 1, "yref": "y domain", "yanchor": "bottom"} | side
    end = {"x": 0, "xanchor": "left", "xshift": 14} if falling else {"x": 1, "xanchor": "right"}
    return {"xref": "x domain", "y": value, "yref": "y", "yanchor": "bottom" if above else "top"} | end
