"""Draw a line to compare measurements with: a published number, or chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from backend.charts.parts.text import number, safe
from backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

PRINTED = "de Seyssel et al. 2025, printed"
_COLOUR = "#908DB5"


def add_reference(
    figure: go.Figure,
    value: float,
    *,
    low: float | None = None,
    high: float | None = None,
    label: str = PRINTED,
    axis: Literal["x", "y"] = "y",
    form: str = ".2f",
) -> go.Figure:
    """Draw a dashed line at `value` on `axis`, and a band from `low` to `high` where both are given; return `figure`.

    `label` names the source and stands on the line together with the value, so that it is not taken for a measurement.
    """
    line = {"color": _COLOUR, "width": 2, "dash": "longdash"}
    place = {"text": f"{safe(label)}: {number(value, form)}", "showarrow": False, "font": {"size": 12}}
    if axis == "y":
        if low is not None and high is not None:
            figure.add_hrect(y0=low, y1=high, fillcolor=_COLOUR, opacity=0.15, line_width=0, layer="below")
        figure.add_hline(y=value, line=line, layer="below")
        figure.add_annotation(x=0.005, xref="paper", xanchor="left", y=value, yanchor="bottom", **place)
    else:
        if low is not None and high is not None:
            figure.add_vrect(x0=low, x1=high, fillcolor=_COLOUR, opacity=0.15, line_width=0, layer="below")
        figure.add_vline(x=value, line=line, layer="below")
        figure.add_annotation(y=0.99, yref="paper", yanchor="top", x=value, xanchor="left", xshift=4, textangle=0, **place)
    return figure


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
    figure.layout.legend.update(orientation="v", x=1.01, xanchor="left", y=1, yanchor="top")
    return figure


def add_chance(figure: go.Figure, chance: float, label: str) -> go.Figure:
    """Draw a dotted line at `chance` of the y axis, `label` under its right end; return `figure`."""
    figure.add_hline(y=chance, line={"color": QUIET, "width": 1.5, "dash": "dot"}, layer="below")
    place = {"x": 1, "xref": "paper", "xanchor": "right", "y": chance, "yanchor": "top"}  # scores are seldom below chance
    return figure.add_annotation(text=safe(label), showarrow=False, font={"size": 12}, opacity=0.75, **place)
