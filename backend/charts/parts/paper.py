"""Draw a line to compare measurements with: a published number, or chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.charts.parts.lines import legend_beside
from isogloss.backend.charts.parts.text import number, safe
from isogloss.backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

PRINTED = "de Seyssel et al. 2025, printed"
_COLOUR = "#908DB5"


def add_reference(figure: go.Figure, value: float, *, label: str = PRINTED, form: str = ".2f") -> go.Figure:
    """Draw a dashed line at `value` of the y axis; return `figure`.

    `label` names the source and stands on the line together with the value, so that it is not taken for a measurement.
    """
    add_level(figure, value, {"color": _COLOUR, "width": 2, "dash": "longdash"})
    place = {"x": 0.005, "xref": "paper", "xanchor": "left", "y": value, "yanchor": "bottom"}
    return figure.add_annotation(text=f"{safe(label)}: {number(value, form)}", showarrow=False, font={"size": 12}, **place)


def add_named_reference(
    figure: go.Figure, value: float, lines: Sequence[str], *, dash: str = "longdash", form: str = ".2f"
) -> go.Figure:
    """Draw a reference at `value` of the y axis where the lines of measurements run, its name in a legend beside the figure.

    `lines` of text name the source; the last says what the value is, which is written behind it. Return `figure`.
    """
    name = "<br>".join([*(safe(line, None) for line in lines[:-1]), f"{safe(lines[-1], None)}: {number(value, form)}"])
    line = {"color": _COLOUR, "width": 2.5, "dash": dash}
    across = {"xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value}
    figure.add_shape(type="line", **across, line=line, layer="below", name=name, showlegend=True)
    legend_beside(figure)
    return figure


def add_chance(figure: go.Figure, chance: float, label: str) -> go.Figure:
    """Draw a dotted line at `chance` of the y axis, `label` under its right end; return `figure`."""
    add_level(figure, chance, {"color": QUIET, "width": 1.5, "dash": "dot"})
    place = {"x": 1, "xref": "paper", "xanchor": "right", "y": chance, "yanchor": "top"}  # scores are seldom below chance
    return figure.add_annotation(text=safe(label), showarrow=False, font={"size": 12}, opacity=0.75, **place)


def add_level(figure: go.Figure, value: float, line: Mapping[str, Any]) -> None:
    """Draw a line across at `value` of the y axis, below what is measured: as `add_hline`, in a fifth of its time."""
    figure.add_shape(type="line", x0=0, x1=1, xref="x domain", y0=value, y1=value, yref="y", line=line, layer="below")
