"""Lines with markers, as every chart of lines draws them: the look of each, and where the legend stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.parts.text import safe, shorten
from isogloss.backend.charts.parts.theme import DASHES, SYMBOLS, change, colours_of, ramp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

BESIDE = 2
"""More lines than this are named beside the figure, where they take no height from it."""
ENTRY = 29
"""Height of a legend's entry in pixels."""
LONGEST = 40
"""Characters of a model's name in the legend, which stands above or beside the lines."""
TALLEST = 600
"""A figure grows up to here so that its legend fits; beyond it the legend scrolls."""


@dataclass(frozen=True)
class Style:
    """How one line is drawn, and its points behind it."""

    label: str
    colour: str
    mark: int
    """Of dash and marker."""


def styles_of(frame: pd.DataFrame, colours: Mapping[str, str], *, told_apart: int = 1) -> dict[tuple[str, str], Style]:
    """Return the style of each `line` of each `model` of `frame`, in their order.

    Lines of one model alone have colours in order, and beyond `told_apart` of them dashes and markers too; those of several
    models have their model's colour, by `colours` where it is there.
    """
    models: dict[str, list[str]] = {}
    for model, line in dict.fromkeys(zip(frame["model"].astype(str), frame["line"].astype(str), strict=True)):
        models.setdefault(model, []).append(line)
    palette, several = colours_of(models) | dict(colours), len(models) > 1
    styles = {}
    for index, (model, lines) in enumerate(models.items()):
        shades = [palette[model]] * len(lines) if several or len(lines) == 1 else ramp(len(lines))
        for order, line in enumerate(lines):
            owner = shorten(model, LONGEST) if several or not line else ""
            mark = order if len(lines) > (1 if several else told_apart) else index
            styles[model, line] = Style(" · ".join(part for part in (owner, line) if part), shades[order], mark)
    return styles


def line_trace(style: Style, x: np.ndarray, y: np.ndarray, hover: Sequence[str], *, size: int = 7) -> dict[str, Any]:
    """Return a line with markers of `size` pixels; a value that is nan is a gap. As a dictionary: plotly copies its own."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "connectgaps": False,
        "line": {"color": style.colour, "width": 2.5, "dash": DASHES[style.mark % len(DASHES)]},
        "marker": {"symbol": SYMBOLS[style.mark % len(SYMBOLS)], "size": size, "color": style.colour},
        "name": safe(style.label),
        "legendgroup": safe(style.label, None),
        "showlegend": True,
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def band_trace(style: Style, x: np.ndarray, low: np.ndarray, high: np.ndarray, interval: str) -> dict[str, Any]:
    """Return the area between the ends of a line's intervals, which are called `interval`: it lies below the line."""
    across, up = band(x, low, high)
    named = {"legendgroup": safe(style.label, None), "name": f"{safe(style.label)}, {interval}", "showlegend": False}
    line = {"mode": "lines", "line": {"width": 0.5, "color": _faded(style.colour, 0.35)}}
    area = {"fill": "toself", "fillcolor": _faded(style.colour, 0.18), "hoverinfo": "skip"}
    return {"type": "scatter", "x": across, "y": up} | named | line | area


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[list[float | None], list[float | None]]:
    """Outline the area between `low` and `high`: one closed piece for each run without a missing end."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    known = np.isfinite(low) & np.isfinite(high)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]])))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        piece = x[start:stop].tolist()
        xs += [*piece, *piece[::-1], piece[0], None]
        ys += [*high[start:stop].tolist(), *low[start:stop].tolist()[::-1], float(high[start]), None]
    return xs[:-1], ys[:-1]


def _faded(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def place_legend(figure: go.Figure, entries: int, title: bool) -> None:
    """Place the legend: few lines a row each between title and figure, many beside it."""
    if entries > BESIDE:
        legend_beside(figure)
        figure.layout.height = max(figure.layout.height, min(TALLEST, entries * ENTRY + 130))
    else:
        figure.layout.margin.t = (34 if title else 10) + max(entries * ENTRY, 16)


def legend_beside(figure: go.Figure) -> None:
    """Place the legend at the right of the figure, where it may be long."""
    change(figure, legend={"orientation": "v", "x": 1.01, "xanchor": "left", "y": 1, "yanchor": "top"})
