"""The colour bar of a heatmap: its range, its ticks, and which of them is chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.parts.text import number, wrap_title
from isogloss.backend.charts.parts.theme import CHANCE, Scale, colour_scale

if TYPE_CHECKING:
    from collections.abc import Iterable

    import plotly.graph_objects as go

    from isogloss.backend.charts.grid import Grid

LONGEST = 340
"""Pixels of a bar at most: beside rows that go on below the screen, its title and both of its ends are still in view."""
LINE = 20
"""Pixels between two numbers beside it at least."""
FITTED = "Colours fitted"
"""Begins what a bar says whose colours go from the least to the greatest value shown."""


def colour_axis(
    title: str,
    ends: tuple[float, float],
    scale: Scale,
    chance: float | None,
    *,
    x: float,
    height: float,
    fitted: str = "",
) -> dict[str, Any]:
    """Return a colour axis from `ends[0]` to `ends[1]`, whose bar marks `chance`, with an arrow where it lies beyond an end.

    The bar stands at `x`, a fraction of the width, in a figure of `height` pixels, from its top down. `fitted` is the format of
    a score where the bar is to say that the colours are fitted, and between which scores.
    """
    long = min(height - 110, LONGEST)
    form = "+g" if scale == "difference" else "g"
    labels = {tick: f"{tick:{form}}" if tick else "0" for tick in _ticks(*ends)}
    if chance is not None:
        mark, near = min(max(chance, ends[0]), ends[1]), (ends[1] - ends[0]) * LINE / long
        beyond = "↓ " if chance < ends[0] else "↑ " if chance > ends[1] else ""
        labels = {tick: text for tick, text in labels.items() if abs(tick - mark) > near}
        labels = dict(sorted((labels | {mark: f"{beyond}{chance:g} chance"}).items()))
    said = f"<br>{FITTED}: {number(ends[0], fitted)} to {number(ends[1], fitted)}" if fitted else ""
    bar = {
        "title": {"text": wrap_title(title, long) + said, "side": "right", "font": {"size": 14}},
        "thickness": 14,
        "len": long / (height - 110),
        "y": 1,
        "yanchor": "top",
        "x": x,
        "xanchor": "left",
        "xpad": 4,
        "ypad": 0,
        "outlinewidth": 0,
        "ticks": "outside",
        "ticklen": 4,
        "tickmode": "array",
        "tickvals": list(labels),
        "tickfont": {"size": 13},
        "ticktext": [text.replace("-", "−") for text in labels.values()],
    }
    return {"cmin": ends[0], "cmax": ends[1], "colorscale": colour_scale(scale), "colorbar": bar}


def beside_names(figure: go.Figure, names: int) -> None:
    """Put the colour bar at the figure's right end, with `names` pixels between it and the cells."""
    bar = figure.layout.coloraxis.colorbar
    bar.update(xref="container", x=1, xanchor="right")
    longest = max((len(text) for text in bar.ticktext), default=0)
    lines = 1 + bar.title.text.count("<br>")
    figure.layout.margin.r = names + bar.thickness + 2 * bar.xpad + bar.ticklen + int(6.8 * longest) + 19 * lines


def fit(
    *grids: Grid, whole: tuple[float, float] | None, chance: float | None, fitted: bool | None
) -> tuple[tuple[float, float], bool]:
    """Return the scores at the ends of the colours, and whether these are fitted to the scores shown.

    `whole` is the scale of the colours, None for `chance` to 1. `fitted`: True for the scores' own range (or `whole`, that of
    several figures), False for the scale, None for whichever shows more: see `is_narrow`.
    """
    if fitted is None:
        scale, shown = whole or score_range(*grids, chance=chance), score_range(*grids, chance=None)
        fitted = is_narrow(shown, scale)
        return (shown if fitted else scale), fitted
    return whole or score_range(*grids, chance=None if fitted else chance), fitted


def of_several(
    values: Iterable[float], ends: tuple[float, float], scale: tuple[float, float] | None, fitted: bool | None
) -> tuple[tuple[float, float], bool]:
    """Return `range` and `fitted` of one of several heatmaps that share their colours: `ends` are the scores of them all.

    `values` beyond the ends, computed since, move them. `scale` is the measure's own, None where it has none.
    """
    finite = [value for value in values if math.isfinite(value)]
    shown = min([ends[0], *finite]), max([ends[1], *finite])
    is_fitted = scale is None or is_narrow(shown, scale) if fitted is None else fitted
    return (shown if is_fitted or scale is None else scale), is_fitted


def is_narrow(shown: tuple[float, float], scale: tuple[float, float]) -> bool:
    """Whether scores span less than half of their scale, which would draw them in nearly one colour."""
    return bool(shown[1] - shown[0] < (scale[1] - scale[0]) / 2)


def score_range(*grids: Grid, chance: float | None = CHANCE) -> tuple[float, float]:
    """The range of colours for scores: from chance to 1, wider where scores lie outside; without chance, that of the scores."""
    finite_values = np.concatenate([cells.values[np.isfinite(cells.values)] for cells in grids])
    if chance is not None:
        return min(chance, float(finite_values.min(initial=chance))), max(1.0, float(finite_values.max(initial=1.0)))
    if finite_values.size == 0:
        return 0.0, 1.0
    bottom, top = float(finite_values.min()), float(finite_values.max())
    return (bottom, top) if top - bottom > 1e-6 else (bottom - 0.005, top + 0.005)


def _ticks(bottom: float, top: float) -> list[float]:
    """Four to nine round numbers from `bottom` to `top`."""
    size = 10.0 ** math.floor(math.log10(top - bottom))
    step, first, last = size, 0, 0
    for part in (1.0, 0.5, 0.2, 0.1):
        step = size * part
        first, last = math.ceil(bottom / step - 1e-6), math.floor(top / step + 1e-6)
        if last - first >= 3:
            break
    return [round(i * step, 9) for i in range(first, last + 1)]
