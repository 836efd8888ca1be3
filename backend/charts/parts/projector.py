"""A figure for a projector: everything written half as large again, and numbers that can be read from the last row."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.click import CELLS, CHOSEN
from isogloss.backend.charts.parts.half import is_symmetric, upper
from isogloss.backend.charts.parts.text import MARKUP, short_number

LARGER = 1.5
USUAL, TITLE = 12.0, 16.0
"""Pixels of what a figure gives no size."""
WIDTH, HEIGHT = 1000.0, 480.0
"""Pixels that a figure's panels have together on a projector of 1280 × 720."""
MOST_DECIMALS = 2
NUMBER = re.compile(r">([+−-]?)\d*\.(\d+)<")


def enlarged(figure: go.Figure) -> go.Figure:
    """Return a copy of `figure` with fonts half as large again, without a height of its own.

    Of a symmetric heatmap with numbers the lower half is left: its numbers have two decimals at most, no leading zero, and the
    size that their cells have room for.
    """
    drawn = go.Figure(figure)
    for trace in (*drawn.data, *(trace for state in drawn.frames for trace in state.data)):
        if isinstance(trace, go.Heatmap) and trace.texttemplate and trace.z is not None:
            _rewrite(drawn, trace)
        elif isinstance(trace, go.Scatter) and trace.mode and "text" in trace.mode:
            trace.textfont.size = (trace.textfont.size or USUAL) * LARGER
        elif isinstance(trace, go.Scatter) and trace.name == CELLS:
            trace.selectedpoints = None  # nothing is chosen here, and the half with the mark may be gone
    drawn.layout.shapes = [shape for shape in drawn.layout.shapes if shape.name != CHOSEN]
    layout = deepcopy(drawn.layout.to_plotly_json())
    layout.pop("height", None)
    layout["font"] = {"size": USUAL} | layout.get("font", {})
    if layout.get("title"):
        layout["title"] = dict(layout["title"]) | {"font": {"size": TITLE} | layout["title"].get("font", {})}
    for key, part in layout.items():
        if re.fullmatch(r"[xy]axis\d*", key):
            _usual(part, "tickfont", "title")
        elif re.fullmatch(r"coloraxis\d*", key):
            _usual(part.setdefault("colorbar", {}), "tickfont", "title")
        elif key in ("legend", "hoverlabel"):
            _usual(part, "font")
    for note in layout.get("annotations", ()):
        _usual(note, "font")
    margin = layout.setdefault("margin", {})
    for side in ("t", "r"):  # what stands above the axes, and names and colour bar beside them
        margin[side] = round(margin.get(side, 0) * LARGER)
    drawn.layout = _larger(layout)
    return drawn


def _usual(part: dict[str, Any], *fonts: str) -> None:
    """Write out the sizes that are the usual ones."""
    for name in fonts:
        if name == "title":
            title = part.get("title")
            part["title"] = title = {"text": title} if isinstance(title, str) else dict(title or {})
            title["font"] = {"size": USUAL} | title.get("font", {})
        else:
            part[name] = {"size": USUAL} | part.get(name, {})


def _larger(part: Any) -> Any:
    """Return a layout, or a part of it, with each font larger."""
    if isinstance(part, dict):
        fonts = {key: value | {"size": value["size"] * LARGER} for key, value in part.items() if _is_font(key, value)}
        return {key: fonts[key] if key in fonts else _larger(value) for key, value in part.items()}
    return [_larger(each) for each in part] if isinstance(part, (list, tuple)) else part


def _is_font(key: str, value: object) -> bool:
    return key.endswith("font") and isinstance(value, dict) and isinstance(value.get("size"), (int, float))


def _rewrite(figure: go.Figure, trace: go.Heatmap) -> None:
    """Write a heatmap's numbers anew: fewer, shorter, larger."""
    values = np.asarray(trace.z, np.float64)
    texts = np.array(trace.text, dtype=object).reshape(values.shape)
    if is_symmetric(values):
        above = upper(len(values))
        values = np.where(above, np.nan, values)
        trace.z = values.astype(np.float32)
        texts = np.where(above, "", texts)
    short = [
        [_shorter(text, value) for text, value in zip(*row, strict=True)] for row in zip(texts, values.tolist(), strict=True)
    ]
    longest = max((len(MARKUP.sub("", text)) for row in short for text in row), default=1)
    axis = figure.layout[f"xaxis{(trace.xaxis or 'x')[1:]}"]
    left, right = axis.domain or (0.0, 1.0)
    across, down = WIDTH * (right - left) / values.shape[1], HEIGHT / values.shape[0]
    trace.text = short
    trace.textfont = {"size": int(min(30.0, max(7.0, min(0.6 * down, 0.85 * across / (0.56 * max(longest, 1))))))}


def _shorter(text: object, value: float) -> str:
    """Return the markup of a number with fewer decimals and no leading zero."""
    markup = str(text or "")
    match = NUMBER.search(markup)
    if not match or not np.isfinite(value):
        return markup
    form = f"{'+' if match[1] else ''}.{min(len(match[2]), MOST_DECIMALS)}f"
    return f"{markup[: match.start()]}>{short_number(value, form)}<{markup[match.end() :]}"
