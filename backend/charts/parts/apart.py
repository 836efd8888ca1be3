"""Many lines apart: a small panel a model, on the same axes, with all others in grey behind its own."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.axes import BREAK, CHARACTER, clear_of_each_other
from isogloss.backend.charts.parts.panels import HEADING, axes_of, in_panels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OTHERS = "rgba(128,128,128,0.35)"
TICKS = 170
"""Pixels that a panel is taken to have for the labels below it."""


def apart(figure: go.Figure) -> go.Figure:
    """Return a figure with a panel each model (`meta` of a trace) of `figure`, or each line of one model's.

    Each panel has its own lines with their intervals, controls and points, every line of reference, and the lines of all others
    in grey, which tell nothing under the pointer. `figure` has one pair of axes; of one line it is returned as it is.
    """
    traces, layout = [trace.to_plotly_json() for trace in figure.data], figure.to_plotly_json()["layout"]
    by = "meta" if len({trace["meta"] for trace in traces if _is_line(trace)}) > 1 else "legendgroup"
    panels = list(dict.fromkeys(trace[by] for trace in traces if _is_line(trace)))
    if len(panels) < 2:
        return figure
    along, up = layout.pop("xaxis"), layout.pop("yaxis")
    notes, shapes = layout.pop("annotations", ()), layout.pop("shapes", ())
    drawn = []
    for index, panel in enumerate(panels):
        others = [trace for trace in traces if _is_line(trace) and trace[by] != panel]
        own = [trace for trace in traces if trace.get(by) in (panel, None)]
        # Without a group: what is under the pointer does not make the other panels faint.
        drawn += [trace | {"legendgroup": None, "showlegend": False} | axes_of(index) for trace in (_behind(others), *own)]
    made = in_panels(
        go.Figure(drawn, layout),
        [unescape(panel) for panel in panels],
        x_title=_plain(along),
        y_title=_plain(up),
        x_range=along.get("range") or _ends([trace["x"] for trace in traces if _is_line(trace)]),
        y_range=up.get("range") or _ends([trace["y"] for trace in traces] + [_levels(shapes)]),
        many=True,
    )
    made.update_xaxes(_ticks(along, made.layout.xaxis.range)).update_yaxes(nticks=4, exponentformat=up.get("exponentformat"))
    made.layout.annotations += tuple(each for note in notes for each in _notes(note, len(panels)))
    made.layout.shapes = [_moved(shape, index) for shape in shapes for index in range(len(panels))]
    made.layout.margin.r = 16
    if not any(shape.showlegend for shape in made.layout.shapes):
        made.layout.margin.t = HEADING + (30 if made.layout.title.text else 0)
    return made


def _is_line(trace: Mapping[str, Any]) -> bool:
    """Whether a trace is a line of measurements: neither an interval, nor a control, nor points."""
    return trace.get("mode") == "lines+markers"


def _behind(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return all these lines as one, thin and grey, with a gap between every two."""
    gap = np.array([np.nan], np.float32)
    x, y = (np.concatenate([part for line in lines for part in (np.asarray(line[axis], np.float32), gap)]) for axis in "xy")
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": {"color": OTHERS, "width": 1}, "hoverinfo": "skip"}


def _plain(axis: Mapping[str, Any]) -> str:
    """Return the title of an axis as it was written."""
    return unescape(axis["title"]["text"].replace("<br>", " "))


def _levels(shapes: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return where lines of reference cross the vertical axis."""
    return [shape[end] for shape in shapes if shape.get("yref", "y") == "y" for end in ("y0", "y1")]


def _ends(values: Sequence[Any]) -> tuple[float, float]:
    """Return the ends of an axis with room for all these."""
    every = np.concatenate([np.asarray(each, np.float64) for each in values])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    room = 0.05 * ((high - low) or 1.0)
    return low - room, high + room


def _ticks(axis: Mapping[str, Any], ends: tuple[float, float]) -> dict[str, Any]:
    """Return the labels of the horizontal axes: those of the whole figure that stand clear of each other, the ends first."""
    places, texts = axis.get("tickvals"), axis.get("ticktext")
    if places is None or texts is None:
        return {"nticks": 6}
    pixel = (ends[1] - ends[0]) / TICKS
    halves = [(len(text) * CHARACTER + 10) / 2 for text in texts]
    ends_first = [0, len(places) - 1, *range(1, len(places) - 1)]
    kept = clear_of_each_other(places, ends_first, lambda i, j: (halves[i] + halves[j]) * pixel)
    return {"tickmode": "array", "tickvals": [places[each] for each in kept], "ticktext": [texts[each] for each in kept]}


def _notes(note: Mapping[str, Any], panels: int) -> list[dict[str, Any]]:
    """Return where a note of the whole figure stands: what names a line of reference in the first panel alone.

    Names at the ends of lines are the headings here, and those of stages have no room.
    """
    if note.get("text") == BREAK:  # every panel has it
        return [_moved(note, index) for index in range(panels)]
    if "axref" in note or note.get("yref", "y") == "paper":
        return []
    return [_moved(note, 0) | {"yanchor": "bottom"}]  # below the lowest line the next panel's heading begins


def _moved(thing: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Return a note or shape of a figure with one pair of axes as it stands in the panel of this number."""
    number = "" if index == 0 else str(index + 1)
    refs = {}
    for axis in "xy":
        own = thing.get(f"{axis}ref", axis)
        whole = own == "paper" or own.endswith("domain")
        refs[f"{axis}ref"] = f"{axis}{number}{' domain' if whole else ''}"
    return {**thing, **refs} | ({"showlegend": False} if index and thing.get("showlegend") else {})
