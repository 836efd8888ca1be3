"""A figure as a paper prints it: vectors, black on white, text of 8 points, as wide as a column or a page.

A figure is laid out at 4/3 of its size, in the pixels in which the charts think, and scaled down by `SCALE` when it is drawn.
"""

from __future__ import annotations

import base64
import html
import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isogloss.backend.charts.parts.click import CHOSEN
from isogloss.backend.charts.parts.export import without_webgl
from isogloss.backend.charts.parts.paper_lines import CHARACTER, entries_of, length_of, rows_of, wrapped
from isogloss.backend.charts.parts.text import MARKUP, safe, shorten
from isogloss.backend.charts.parts.vector import colour_bar, hatching, numbers, rectangles

if TYPE_CHECKING:
    import plotly.graph_objects as go

Width = Literal["column", "page"]
INCHES: dict[Width, float] = {"column": 3.25, "page": 6.75}
"""84 mm and 174 mm: one column, and the whole width, of a page with two columns."""
SCALE = 0.75
TEXT = 14.25
"""Pixels of all text: 8 points after `SCALE`."""
FONTS = "Helvetica, Arial, sans-serif"
MANY = 20_000
"""Points beyond which a scatter stays a bitmap: no vector editor opens more."""
_AXIS = re.compile(r"[xy]axis\d*$")


def for_print(figure: go.Figure, width: Width) -> dict[str, Any]:
    """Return `figure` (unchanged) as plotly's JSON, made for paper: `INCHES[width]` wide where it is drawn at `SCALE`."""
    drawn: dict[str, Any] = _plain(figure.to_plotly_json())
    layout, across = drawn["layout"], INCHES[width] * 96 / SCALE
    if sliders := layout.get("sliders"):
        state = sliders[0]["steps"][sliders[0].get("active") or 0]["label"]
        layout.setdefault("title", {})["text"] = f"{_titled(layout)}, {sliders[0]['currentvalue'].get('prefix') or ''}{state}"
    for states in (drawn, layout):  # what is played is one state on paper
        for part in ("frames", "sliders", "updatemenus"):
            states.pop(part, None)
    drawn["data"] = [trace for trace in drawn["data"] if not _unseen(trace)]
    layout["shapes"] = [shape for shape in layout.get("shapes") or () if shape.get("name") != CHOSEN]
    layout |= {"width": across, "height": math.ceil(1.08 * (layout.get("height") or 450)), "paper_bgcolor": "#FFFFFF"}
    layout |= {"plot_bgcolor": "#FFFFFF", "font": {"family": FONTS, "size": TEXT, "color": "#000000"}}
    if width == "column":
        _stack(layout)
    _black(layout)
    for name in [name for name in layout if _AXIS.match(name)]:
        layout[name].setdefault("automargin", True)
        _thin(layout[name], _length(layout, name), horizontal=name.startswith("x"))
        if name.startswith("x") and (text := _titled(layout[name])):
            room = int(
                max(_length(layout, name), 0.6 * across / len([each for each in layout if each[:5] == "xaxis"])) / CHARACTER
            )
            layout[name]["title"]["text"] = "<br>".join(wrapped(text, room))
    _as_vectors(drawn)
    _top(drawn, across)
    return drawn


def _plain(value: Any) -> Any:
    """Return a copy of plotly's JSON in which arrays are lists: plotly packs their bytes."""
    if isinstance(value, dict) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
        shape = [int(each) for each in str(value["shape"]).split(",")] if "shape" in value else array.shape
        return array.reshape(shape).tolist()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _unseen(trace: dict[str, Any]) -> bool:
    """Whether a trace takes clicks and shows nothing."""
    return (trace.get("marker") or {}).get("opacity") == 0 and "line" not in (trace.get("mode") or "markers")


def _length(layout: dict[str, Any], name: str) -> float:
    """Return about how many pixels an axis is long."""
    low, high = layout[name].get("domain") or (0, 1)
    if name.startswith("y"):
        return float((high - low) * (layout["height"] - 130))
    bars = any(key.startswith("coloraxis") for key in layout)
    return float((high - low) * (layout["width"] - _left(layout) - (100 if bars else 16)))


def _left(layout: dict[str, Any]) -> float:
    """Return about how much room the ticks and titles of the vertical axes take at the left."""
    axes = [axis for name, axis in layout.items() if name.startswith("yaxis")]
    longest = max((length_of(str(text)) for axis in axes for text in axis.get("ticktext") or ["0.00"]), default=0)
    lines = max((_titled(axis).count("<br>") + 1 for axis in axes if _titled(axis)), default=0)
    return longest * CHARACTER + 20 * lines + 12


def _titled(axis: dict[str, Any]) -> str:
    return str((axis.get("title") or {}).get("text") or "")


def _stack(layout: dict[str, Any]) -> None:
    """Put two panels that stand side by side one above the other: a column has no room for both."""
    first, second = (layout.get(f"xaxis{number}") or {} for number in ("", "2"))
    if "xaxis3" in layout or not first.get("domain") or not second.get("domain") or first["domain"][1] > second["domain"][0]:
        return
    (start, end), upper, lower = second["domain"], [0.59, 1.0], [0.0, 0.41]
    layout["height"] = math.ceil(1.75 * layout["height"])
    for name, place in (("", upper), ("2", lower)):
        layout[f"xaxis{name}"]["domain"] = [0.0, end if end < 0.9 else 1.0]  # beyond it stand names of groups
        layout.setdefault(f"yaxis{name}", {})["domain"] = place
    layout["yaxis2"] = layout["yaxis"] | {key: layout["yaxis2"][key] for key in ("domain", "anchor") if key in layout["yaxis2"]}
    for note in layout.get("annotations", ()):
        if note.get("xref") == note.get("yref") == "paper":
            low = note["x"] >= start - 1e-9 and len(layout["annotations"]) > 1
            note |= {"x": note["x"] - (start if low else 0), "y": lower[1] if low else note["y"]}
    for name, place in (("coloraxis", upper), ("coloraxis2", lower)):  # one that both share stands beside the upper panel
        if name in layout:
            beside = {"x": 1.01} if "coloraxis2" in layout else {}
            layout[name]["colorbar"] |= beside | {"y": place[1], "len": place[1] - place[0]}


def _black(layout: dict[str, Any]) -> None:
    """Set all text in black and in one size, what is greater (headings) excepted."""
    for part in _parts(layout):
        font = part.get("font") or {}
        part["font"] = {"size": max(TEXT, float(font.get("size") or 0)), "color": "#000000", "family": FONTS}
        part.pop("opacity", None)
    for name in [name for name in layout if _AXIS.match(name)]:
        layout[name]["tickfont"] = {"size": TEXT, "color": "#000000"}
    for name in [name for name in layout if name.startswith("coloraxis")]:
        layout[name].setdefault("colorbar", {})["tickfont"] = {"size": TEXT, "color": "#000000"}


def _parts(layout: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a figure that are text: titles, notes, the legend."""
    owners = [layout[name] for name in layout if _AXIS.match(name)]
    owners += [layout[name].setdefault("colorbar", {}) for name in layout if name.startswith("coloraxis")]
    titles = [owner["title"] for owner in (layout, *owners) if isinstance(owner.get("title"), dict)]
    return titles + list(layout.get("annotations", ())) + [layout.setdefault("legend", {})]


def _thin(axis: dict[str, Any], pixels: float, *, horizontal: bool) -> None:
    """Leave out ticks that would run into each other; names of categories are turned first."""
    places, texts = axis.get("tickvals"), axis.get("ticktext")
    if places is None or not len(places):
        return
    texts = [str(each) for each in (texts if texts is not None else places)]
    ends = axis.get("range") or (min(places), max(places))
    at = [math.log10(each) if axis.get("type") == "log" and each > 0 else float(each) for each in places]
    span = abs(float(ends[1]) - float(ends[0])) or 1.0
    pixel = [pixels * abs(each - float(ends[0])) / span for each in at]
    wide = [length_of(text) * CHARACTER + 8 for text in texts]
    if not horizontal or axis.get("tickangle") in (-90, 90):
        wide = [16.0] * len(texts)
    elif len(_kept(pixel, wide)) < 0.7 * len(texts) and max(wide) > 50:
        axis["tickangle"], wide = -90, [16.0] * len(texts)
    kept = _kept(pixel, wide)
    axis |= {"tickmode": "array", "tickvals": [places[i] for i in kept], "ticktext": [texts[i] for i in kept]}


def _kept(pixel: list[float], wide: list[float]) -> list[int]:
    """Return the places of labels, in their order, that stand clear of each other; evenly spread ones stay so."""
    n = len(pixel)
    if n < 3 or np.ptp(np.abs(np.diff(pixel))) < 1:
        for stride in range(1, n + 1):
            kept = list(range(0, n, stride))
            if all(abs(pixel[b] - pixel[a]) >= (wide[a] + wide[b]) / 2 for a, b in pairwise(kept)):
                return kept
    chosen: list[int] = []  # unevenly spread: each that is clear of the one before
    for place in range(n):
        if not chosen or abs(pixel[place] - pixel[chosen[-1]]) >= (wide[place] + wide[chosen[-1]]) / 2:
            chosen.append(place)
    return chosen


def _as_vectors(drawn: dict[str, Any]) -> None:
    """Draw heatmaps as rectangles under everything else, their numbers and bars as they were; many points as vectors."""
    layout, traces, shapes, bars = drawn["layout"], [], [], set()
    points = sum(len(trace.get("x", ())) for trace in drawn["data"] if trace["type"] == "scattergl")
    for trace in (without_webgl(drawn) if points <= MANY else drawn)["data"]:
        if trace.get("fillpattern") and trace.get("fill") == "toself":
            traces += hatching(trace, *(_cell(layout, trace.get(f"{axis}axis", axis)) for axis in ("x", "y")))
            continue
        if trace["type"] != "heatmap":
            traces.append(trace)
            continue
        rows, columns = np.shape(trace["z"])
        shapes += rectangles(trace, layout)
        axes = [trace.get(f"{axis}axis", axis).replace(axis, f"{axis}axis") for axis in ("x", "y")]
        layout[axes[0]].setdefault("range", [-0.5, columns - 0.5])
        layout[axes[1]].setdefault("range", [-0.5, rows - 0.5])
        text = numbers(trace, _length(layout, axes[0]) / columns, _length(layout, axes[1]) / rows)
        # The bar is drawn once; a panel without a trace has no axes.
        traces += [colour_bar(trace), *([text] if text else [])]
        bars.add(trace.get("coloraxis"))
    drawn["data"], layout["shapes"] = traces, [*shapes, *layout.get("shapes", ())]


def _cell(layout: dict[str, Any], axis: str) -> float:
    """Return about how many pixels one cell of a heatmap takes on an axis (`x2`)."""
    name = f"{axis[0]}axis{axis[1:]}"
    ends = layout[name].get("range") or (0, 1)
    span = abs(float(ends[1]) - float(ends[0])) or 1.0
    return _length(layout, name) / span


def _top(drawn: dict[str, Any], across: float) -> None:
    """Give title, legend and notes lines of their own above the figure: on paper they take more of its width."""
    layout, legend = drawn["layout"], drawn["layout"]["legend"]
    title, margin = layout.get("title") or {}, layout.setdefault("margin", {})
    characters = int((across - 24) / CHARACTER)
    lines = wrapped(str(title.get("text") or ""), int(characters / 1.08))
    title |= {"text": "<br>".join(lines), "pad": {"t": 6 + 12 * (len(lines) - 1), "l": 4}} if lines else {}
    _shorten_headings(layout, across)
    noted = _wrap_notes(layout, characters)
    head = 20 * len(lines) + (10 if lines else 4)
    entries = entries_of(drawn, characters - 7)
    rows = 0
    if entries and layout.get("showlegend") is not False and (across < 600 or legend.get("orientation") == "h"):
        rows = rows_of(entries, across - 40)
    top = math.ceil(head + (22 * rows + 8 if rows else 0) + noted + 6)
    layout["height"] += max(top - (margin.get("t") or 0), 0)
    if rows:
        place = {"xref": "container", "yref": "container", "x": 0.5, "xanchor": "center", "yanchor": "top"}
        legend |= place | {"orientation": "h", "tracegroupgap": 0, "y": 1 - head / layout["height"]}
    margin |= {"t": top, "l": max(margin.get("l") or 0, 6), "b": max(margin.get("b") or 0, 6)}
    margin["r"] = max(margin.get("r") or 0, 14, *(_beyond(note, across) for note in layout.get("annotations", ())))


def _shorten_headings(layout: dict[str, Any], across: float) -> None:
    """Cut the headings of panels that stand beside each other to the width of theirs."""
    over = [note for note in layout.get("annotations", ()) if note.get("xref") == "paper" and note.get("xanchor") == "center"]
    room = int(across / max(len({round(note["x"], 3) for note in over}), 1) / CHARACTER) - 2
    for note in over:
        if note.get("yanchor") == "bottom" and length_of(note["text"]) > room:
            note["text"] = safe(shorten(html.unescape(MARKUP.sub("", note["text"])), max(room, 4)), None)


def _wrap_notes(layout: dict[str, Any], characters: int) -> float:
    """Break the lines of notes above the figure where they are too long; returns the height in pixels of the highest."""
    height = 0.0
    for note in layout.get("annotations", ()):
        text = str(note.get("text") or "")
        if note.get("yref") == "paper" and note.get("yanchor") == "bottom" and note["y"] >= 1 and text:
            lines = [line for part in text.split("<br>") for line in wrapped(part, characters - 6)]
            note["text"] = "<br>".join(lines)
            height = max(height, 20.0 * len(lines) + 4)
    return height


def _beyond(note: dict[str, Any], across: float) -> float:
    """Return how many pixels a note at the right of the axes needs beyond them."""
    if note.get("xref") != "paper" or note.get("xanchor") != "left" or note.get("yref") == "paper" or note.get("x", 0) < 0.7:
        return 0.0
    return max(length_of(str(note.get("text"))) * CHARACTER + 8 - (1 - float(note["x"])) * across / 2, 0.0)
