"""The colour bar of a heatmap: its range, its ticks, and which of them is chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from backend.charts.parts.text import number, wrap_title
from backend.charts.parts.theme import CHANCE, Scale, colour_scale

if TYPE_CHECKING:
    from backend.charts.grid import Grid

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
    """Return a colour axis from `ends[0]` to `ends[1]`, whose bar says which tick is `chance`.

    The bar stands at `x`, a fraction of the width, in a figure of `height` pixels. `fitted` is the format of a score where the
    bar is to say that the colours are fitted, and between which scores.
    """
    ticks = _ticks(*ends)
    if chance is not None and ends[0] <= chance <= ends[1]:
        near = (ends[1] - ends[0]) * 0.06
        ticks = sorted([tick for tick in ticks if abs(tick - chance) > near] + [chance])
    form = "+g" if scale == "difference" else "g"
    texts = ["0" if tick == 0 else f"{tick:{form}}" + (" chance" if tick == chance else "") for tick in ticks]
    said = f"<br>{FITTED}: {number(ends[0], fitted)} to {number(ends[1], fitted)}" if fitted else ""
    bar = {
        "title": {"text": wrap_title(title, height - 110) + said, "side": "right", "font": {"size": 14}},
        "thickness": 14,
        "len": 1.0,
        "y": 0.5,
        "yanchor": "middle",
        "x": x,
        "xanchor": "left",
        "xpad": 4,
        "ypad": 0,
        "outlinewidth": 0,
        "ticks": "outside",
        "ticklen": 4,
        "tickmode": "array",
        "tickvals": ticks,
        "tickfont": {"size": 13},
        "ticktext": [text.replace("-", "−") for text in texts],
    }
    return {"cmin": ends[0], "cmax": ends[1], "colorscale": colour_scale(scale), "colorbar": bar}


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
