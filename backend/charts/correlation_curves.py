"""A correlation over training steps, its markers filled where permuting languages tells it from 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.parts.hatch import LEVEL
from isogloss.backend.charts.parts.text import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.charts.parts.axes import StepAxis


def correlation_over_checkpoints(
    frame: pd.DataFrame,
    *,
    title: str = "",
    step_scale: StepAxis = "linear",
    colours: Mapping[str, str] | None = None,
    axis: str = "",
) -> go.Figure:
    """Draw a correlation over training steps with its 95% band, on an axis from −1 to 1 with a line at 0.

    `frame` is as in `curves`: `model`, `step`, `value`, and `line` (which correlation), `low`, `high`, `n` where there are any;
    with `p` a marker is filled where p < 0.05 and open elsewhere (de Seyssel et al. 2025, figure 7).
    """
    drawn = curves(
        frame,
        x="step",
        axis=axis,
        value_title=f"Correlation (−1 to 1, 0 = unrelated{'; filled: p < 0.05' if 'p' in frame else ''})",
        title=title,
        step_scale=step_scale,
        colours=colours,
        value_range=(-1.05, 1.05),
        chance=0.0,
        chance_label="unrelated",
        n_title="Pairs",
        height=400,
    )
    return _mark(drawn, frame) if "p" in frame else drawn


def _mark(figure: go.Figure, frame: pd.DataFrame) -> go.Figure:
    """Open the markers of correlations that permuting languages does not tell from 0."""
    lines = frame["line"] if "line" in frame else [""] * len(frame)
    places = zip(frame["model"].astype(str), lines, frame["step"].astype(float), strict=True)
    known = dict(zip(places, frame["p"].to_numpy(np.float64).tolist(), strict=True))
    for trace in figure.data:
        if trace.customdata is None:
            continue
        p = [known.get((model, line, step), np.nan) for model, line, step in trace.customdata]
        symbol, colour = trace.marker.symbol, trace.marker.color
        symbols = [symbol if each < LEVEL else f"{symbol}-open" for each in p]
        trace.marker = {"symbol": symbols, "size": 9, "color": colour, "line": {"width": 2, "color": colour}}
        told = [
            text + (f"<br>p = {number(each, '.3f')} (languages permuted)" if each == each else "")
            for text, each in zip(trace.hovertext, p, strict=True)
        ]
        trace.hovertext = told
    return figure
