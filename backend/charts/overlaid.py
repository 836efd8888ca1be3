"""Overlaid curves of several corpora: rank–frequency, type–token, entropy by position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.lines import LONGEST, Style, line_trace, place_legend
from isogloss.backend.charts.parts.text import name_of, number, safe, shorten, wrap_title
from isogloss.backend.charts.parts.theme import change, colours_of, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

Look = Literal["lines", "points", "steps"]
"""`lines` with a marker at each place, `points` alone, or the outline of a histogram whose bins are equally wide."""
MARKED = 40
"""Lines of more places than this have no markers: they would hide the line."""


@dataclass(frozen=True)
class Axis:
    """One axis: the column drawn along it, and how."""

    column: str
    title: str
    log: bool = False
    form: str = ".3f"
    """Of its numbers under the pointer."""
    whole: bool = False
    """Ticks at whole numbers alone."""


def overlaid_lines(
    frame: pd.DataFrame,
    x: Axis,
    y: Axis,
    *,
    name: str,
    version: str | None = None,
    look: Look = "lines",
    fitted: str | None = None,
    fitted_name: str = "fit",
    notes: Mapping[str, tuple[str, str]] | None = None,
    colours: Mapping[str, str] | None = None,
    title: str = "",
    nothing: str = "There is nothing to draw for this selection.",
    height: int = 460,
) -> go.Figure:
    """Draw a line for each value of column `name` of `frame`, and for each `version` of it, in the frame's order.

    `version` is a column; a thing's versions have its colour, and dashes and markers of their own. `fitted` is a column drawn
    as a dotted line in the same colour; where it is nan, there is none. `notes` are columns shown in the hover, each with its
    label and format. `colours` has a colour for each thing. A missing value is a gap. On a logarithmic axis values of 0 or less
    are left out.
    """
    known = np.isfinite(frame[y.column].to_numpy(np.float64, na_value=np.nan)) & _placed(frame, y) & _placed(frame, x)
    if not known.any():
        return empty(nothing, title=title)
    figure = layout(go.Figure(), height=height, title=title)
    names = list(dict.fromkeys(frame[name].astype(str)))
    palette = colours_of(names) | dict(colours or {})
    traces: list[dict[str, Any]] = []
    keys = [name] if version is None else [name, version]
    seen: dict[str, int] = {}
    for key, line_rows in frame.groupby(keys, sort=False):
        thing = str(key[0])
        order = seen.setdefault(thing, -1) + 1
        seen[thing] = order
        label = " · ".join(shorten(str(part), LONGEST) for part in key)
        mark = names.index(thing) if version is None else order
        traces.append(_line(line_rows, x, y, Style(label, palette[thing], mark), look, notes or {}))
        if fitted is not None and line_rows[fitted].notna().any():
            traces.append(_fit(line_rows, x, fitted, f"{label}, {fitted_name}", safe(label, None), palette[thing]))
    figure.add_traces(traces)
    _axes(figure, x, y)
    place_legend(figure, sum(1 for trace in traces if trace["showlegend"]), bool(title))
    return figure


def _line(
    own: pd.DataFrame, x: Axis, y: Axis, style: Style, look: Look, notes: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    few = len(own) <= MARKED
    trace = line_trace(style, _numbers(own, x), _numbers(own, y), _hover(own, x, y, style.label, notes), size=7 if few else 5)
    trace["mode"] = "markers" if look == "points" else "lines+markers" if look == "lines" and few else "lines"
    trace["line"] |= {"shape": "hvh", "width": 2} if look == "steps" else {}
    return trace


def _fit(own: pd.DataFrame, x: Axis, fitted: str, label: str, group: str, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": _numbers(own, x),
        "y": _numbers(own, Axis(fitted, "", log=True)),
        "mode": "lines",
        "line": {"color": colour, "width": 1.5, "dash": "dot"},
        "name": safe(label),
        "legendgroup": group,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _numbers(own: pd.DataFrame, axis: Axis) -> np.ndarray:
    values = own[axis.column].to_numpy(np.float64, na_value=np.nan, copy=True)
    if axis.log:
        values[values <= 0] = np.nan
    return np.ascontiguousarray(values, dtype=np.float32)


def _placed(frame: pd.DataFrame, axis: Axis) -> np.ndarray:
    values = frame[axis.column].to_numpy(np.float64, na_value=np.nan)
    return np.asarray(values > 0 if axis.log else np.isfinite(values))


def _hover(line_rows: pd.DataFrame, x: Axis, y: Axis, label: str, notes: Mapping[str, tuple[str, str]]) -> list[str]:
    told = [(x.column, name_of(x.title), x.form), (y.column, name_of(y.title), y.form)]
    told += [(column, said, form) for column, (said, form) in notes.items()]
    columns = [(safe(said), line_rows[column].tolist(), form) for column, said, form in told]
    texts = []
    for place in range(len(line_rows)):
        lines = [f"{said}: <b>{number(values[place], form)}</b>" for said, values, form in columns if _known(values[place])]
        texts.append("<br>".join([safe(label), *lines]))
    return texts


def _known(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)  # numpy takes ten times as long for one number


def _axes(figure: go.Figure, x: Axis, y: Axis) -> None:
    along: dict[str, Any] = {"title": {"text": safe(x.title, None), "standoff": 10}}
    up: dict[str, Any] = {"title": {"text": wrap_title(y.title, figure.layout.height - 95), "standoff": 12}}
    for axis, settings, data in ((x, along, "x"), (y, up, "y")):
        if axis.log:
            values = np.concatenate([trace[data] for trace in figure.data])
            settings |= _logarithmic(values[np.isfinite(values)])
        elif axis.whole:
            settings |= {"tickmode": "linear", "tick0": 0, "dtick": _stride(figure, data)}
        else:
            settings |= {"range": _from_zero(np.concatenate([trace[data] for trace in figure.data]))}
    change(figure, xaxis=along, yaxis=up)


def _logarithmic(values: np.ndarray) -> dict[str, Any]:
    """Return a whole decade a tick where there are several; the ends with room for the markers."""
    low, high = float(np.log10(values.min())), float(np.log10(values.max()))
    room = max(0.03 * (high - low), 0.03)
    # Without a format, plotly writes 0.2 and 0.5 as a small 2 and 5, which say nothing where no decade is in sight.
    ticks: dict[str, Any] = {"dtick": 1} if high - low > 1.5 else {"dtick": "D2", "tickformat": "~g"}
    return {"type": "log", "range": [low - room, high + room], "exponentformat": "power"} | ticks


def _from_zero(values: np.ndarray) -> tuple[float, float]:
    """From 0 to the greatest value, with room for the markers at both ends."""
    low, high = min(0.0, float(np.nanmin(values))), max(0.0, float(np.nanmax(values)))
    room = 0.03 * ((high - low) or 1.0)
    return low - room, high + room


def _stride(figure: go.Figure, data: str) -> int:
    values = np.concatenate([trace[data] for trace in figure.data])
    span = float(np.nanmax(values) - np.nanmin(values))
    return max(1, int(np.ceil(span / 20)))
