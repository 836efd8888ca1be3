"""Heatmaps as rectangles: plotly draws a heatmap as a bitmap, also into SVG and PDF, where no editor can take it apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.parts.readable import font_size
from isogloss.backend.charts.parts.text import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST = 10.7
"""Pixels of the smallest number written into a cell: 6 points on paper. Where less fits, cells stay without numbers."""
GAP = 10.0
"""Pixels between two lines of a hatching."""
_WRITTEN = re.compile(r"color:(#[0-9A-Fa-f]{6})'>([^<]*)<")


def rectangles(trace: dict[str, Any], layout: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of a heatmap (plotly's JSON of it) as shapes, each in its colour; missing ones none."""
    values = np.asarray(trace["z"], np.float64)
    axis = layout[trace.get("coloraxis", "coloraxis")]
    colours = _colours(values, axis["cmin"], axis["cmax"], axis["colorscale"])
    at = {"xref": trace.get("xaxis", "x"), "yref": trace.get("yaxis", "y"), "type": "rect", "layer": "between"}
    return [
        at
        | {"x0": j - 0.5, "x1": j + 0.5, "y0": i - 0.5, "y1": i + 0.5, "fillcolor": colours[i][j]}
        | {"line": {"width": 0.6, "color": colours[i][j]}}  # neighbours meet without a seam of the page's white
        for i, j in np.argwhere(np.isfinite(values)).tolist()
    ]


def numbers(trace: dict[str, Any], width: float, height: float) -> dict[str, Any] | None:
    """Return the numbers in the cells of a heatmap as a trace of texts, in their inks; None where there are none or no room.

    `width` and `height` are those of one cell in pixels. Decimals go before numbers do: a trace's texts are of `z`.
    """
    if not trace.get("texttemplate") or trace.get("text") is None:
        return None
    values, texts = np.asarray(trace["z"], np.float64), [[_WRITTEN.search(str(each)) for each in row] for row in trace["text"]]
    labels: list[tuple[int, int, str, str]] = [
        (i, j, str(text[1]), str(text[2])) for i, row in enumerate(texts) for j, text in enumerate(row) if text and text[2]
    ]
    if not labels:
        return None
    decimals = max(len(text.partition(".")[2]) for _, _, _, text in labels)
    signed = "+" if any(text.startswith("+") for _, _, _, text in labels) else ""
    for kept in range(decimals, min(decimals, 2) - 1, -1):
        written = labels
        if kept != decimals:
            written = [(i, j, ink, number(float(values[i, j]), f"{signed}.{kept}f")) for i, j, ink, _ in labels]
        size = _size(width, height, max(len(text) for _, _, _, text in written))
        if size >= SMALLEST:
            return {
                "type": "scatter",
                "mode": "text",
                "x": [j for _, j, _, _ in written],
                "y": [i for i, _, _, _ in written],
                "xaxis": trace.get("xaxis", "x"),
                "yaxis": trace.get("yaxis", "y"),
                "text": [text for _, _, _, text in written],
                "textfont": {"size": size, "color": [ink for _, _, ink, _ in written]},
                "showlegend": False,
                "cliponaxis": False,
            }
    return None


def hatching(trace: dict[str, Any], width: float, height: float) -> list[dict[str, Any]]:
    """Return the hatching of missing cells as lines: PDF would have its pattern as a bitmap.

    `trace` goes around rectangles, five points each and a gap; `width` and `height` are those of one cell in pixels.
    """
    xs: list[float | None] = []
    ys: list[float | None] = []
    for at in range(0, len(trace["x"]), 6):
        (left, right), (top, bottom) = ((min(trace[axis][at : at + 4]), max(trace[axis][at : at + 4])) for axis in "xy")
        across, down = (right - left) * width, (bottom - top) * height
        for start in np.arange(GAP / 2, across + down, GAP):  # from the upper or right side down to the left or lower one
            ends = (min(start, across), max(start - across, 0.0)), (max(start - down, 0.0), min(start, down))
            xs += [*(left + x / width for x, _ in ends), None]
            ys += [*(top + y / height for _, y in ends), None]
            if trace["fillpattern"].get("shape") == "x":  # crossed: what is not significant, say, where "/" is not computed
                xs += [*(left + x / width for x, _ in ends), None]
                ys += [*(bottom - y / height for _, y in ends), None]
    plain = {name: value for name, value in trace.items() if name != "fillpattern"} | {"fillcolor": "rgba(128,128,128,0.15)"}
    drawn = {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "line": {"width": 1.1, "color": "rgba(128,128,128,0.75)"}}
    return [plain, drawn | {"xaxis": trace.get("xaxis", "x"), "yaxis": trace.get("yaxis", "y"), "showlegend": False}]


def colour_bar(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a trace that draws nothing but the colour bar that a heatmap had."""
    marker = {"color": [0], "coloraxis": trace.get("coloraxis", "coloraxis"), "size": 0.1}
    place = {"xaxis": trace.get("xaxis", "x"), "yaxis": trace.get("yaxis", "y")}
    return {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "marker": marker, "showlegend": False} | place


def _size(width: float, height: float, characters: int) -> float:
    """Return the size at which so many characters fit, 0 where even `SMALLEST` would be too wide or high."""
    size = float(int(font_size(width, height, characters)))
    fits = SMALLEST * 0.6 * characters <= 0.94 * width and 0.9 * height >= SMALLEST
    return max(size, SMALLEST) if fits else 0.0


def _colours(values: NDArray[np.float64], low: float, high: float, scale: Any) -> list[list[str]]:
    """Colour each value as plotly does: in a straight line between the colours on both sides of it."""
    places = np.array([place for place, _ in scale], np.float64)
    stops = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for _, colour in scale], np.float64)
    share = np.clip((np.nan_to_num(values) - low) / (high - low), 0, 1)
    rgb = np.stack([np.interp(share, places, channel) for channel in stops.T], axis=-1).round().astype(int)
    return [["#{:02x}{:02x}{:02x}".format(*cell) for cell in row] for row in rgb.tolist()]
