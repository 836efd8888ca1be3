"""Scatter one measure against another, a point a pair of languages; and their correlation over checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from backend.charts.correlation_heatmap import LEVEL
from backend.charts.curves import curves
from backend.charts.parts.lines import legend_beside
from backend.charts.parts.notes import add_notes
from backend.charts.parts.text import name_of, number, safe, wrap_title
from backend.charts.parts.theme import SYMBOLS, colours_of, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from backend.charts.parts.axes import StepAxis


HALF = 380.0
"""Pixels a figure is taken to have for its labels: two stand side by side on a 1280-pixel screen."""


def pairs_scatter(
    frame: pd.DataFrame,
    *,
    x_title: str,
    y_title: str,
    title: str = "",
    pearson: float | None = None,
    spearman: float | None = None,
    fit: bool = False,
    printed: Sequence[str] = (),
    colours: Mapping[str, str] | None = None,
    unit: str = "pair",
    height: int = 520,
) -> go.Figure:
    """Draw a point for each row of `frame` that has both measures.

    `frame` has the columns `source`, `target`, `x` and `y`, and where there are several `model`. Rows that lack x or y are left
    out, and the figure says how many. `pearson` and `spearman` are correlations computed elsewhere, written into the figure;
    None or nan for none. `fit` draws the least-squares line of all points. `printed` are lines of text under the correlations,
    such as a paper's. `colours` has a colour for each model, `unit` is what a point is. A click reports `customdata` =
    [source, target, model].
    """
    known = np.isfinite(frame["x"].to_numpy(np.float64, na_value=np.nan)) & np.isfinite(
        frame["y"].to_numpy(np.float64, na_value=np.nan)
    )
    data = frame[known]
    if data.empty:
        return empty("No pair has both scores yet.", title=title)
    figure = layout(go.Figure(), height=height, title=title)
    names = np.array(data["model"].astype(str) if "model" in data.columns else [""] * len(data), dtype=object)
    models = list(dict.fromkeys(names.tolist()))
    palette = colours_of(models) | dict(colours or {})
    for index, model in enumerate(models):
        _add_points(figure, data[names == model], model, palette[model], index, x_title, y_title, len(models) > 1)
    fitted = fit and _add_fit(figure, data["x"].to_numpy(np.float64), data["y"].to_numpy(np.float64))
    figure.update_xaxes(title={"text": wrap_title(x_title, HALF), "standoff": 10})
    figure.update_yaxes(title={"text": wrap_title(y_title, height - 130), "standoff": 12})
    notes = [correlation_text(pearson, spearman, len(data), int((~known).sum()), unit)]
    add_notes(figure, [*notes, *(["line: least squares"] if fitted else []), *printed])
    if len(models) > 1:
        legend_beside(figure)
    return figure


def _add_points(
    figure: go.Figure, data: pd.DataFrame, model: str, colour: str, index: int, x_title: str, y_title: str, legend: bool
) -> None:
    sources, targets = data["source"].astype(str).tolist(), data["target"].astype(str).tolist()
    x, y = data["x"].to_numpy(np.float32), data["y"].to_numpy(np.float32)
    words = {tag: safe(tag) for tag in {*sources, *targets}}
    head = f"{safe(model)}<br>" if model else ""
    across, up = (f"{safe(name_of(each))}: <b>" for each in (x_title, y_title))
    hover = [
        f"<b>{words[source]} – {words[target]}</b><br>{head}{across}{number(a)}</b><br>{up}{number(b)}</b>"
        for source, target, a, b in zip(sources, targets, x.tolist(), y.tolist(), strict=True)
    ]
    custom = [[source, target, model] for source, target in zip(sources, targets, strict=True)]
    figure.add_trace(
        go.Scatter(
            x=np.ascontiguousarray(x),
            y=np.ascontiguousarray(y),
            mode="markers",
            marker={"color": colour, "size": 8, "opacity": 0.75, "symbol": SYMBOLS[index % len(SYMBOLS)]},
            selected={"marker": {"opacity": 1, "size": 13}},
            unselected={"marker": {"opacity": 0.3}},
            # As arrays: plotly goes through a list item by item, several times.
            customdata=np.array(custom, dtype=object),
            hovertext=np.array(hover, dtype=object),
            hovertemplate="%{hovertext}<extra></extra>",
            name=safe(model),
            showlegend=legend,
        )
    )


def _add_fit(figure: go.Figure, x: np.ndarray, y: np.ndarray) -> bool:
    """Draw the least-squares line from the lowest x to the highest; False where all x are equal and there is none."""
    spread = float(((x - x.mean()) ** 2).sum())
    if len(x) < 2 or spread == 0.0:
        return False
    slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread
    ends = np.array([x.min(), x.max()])
    figure.add_trace(
        go.Scatter(
            x=ends.astype(np.float32),
            y=(y.mean() + slope * (ends - x.mean())).astype(np.float32),
            mode="lines",
            line={"color": "rgba(128,128,128,0.95)", "width": 2.5},
            name="least squares",
            showlegend=False,
            hoverinfo="skip",
        )
    )
    return True


def correlation_text(pearson: float | None, spearman: float | None, n: int, left_out: int = 0, unit: str = "pair") -> str:
    """Return the line of numbers over a scatter: `Pearson r = 0.77 · Spearman ρ = 0.71 · 630 pairs`."""
    parts = [
        f"{name} = {number(value, '.2f')}"
        for name, value in (("Pearson r", pearson), ("Spearman ρ", spearman))
        if value is not None and np.isfinite(value)
    ]
    parts.append(f"{n:,} {unit}" + ("" if n == 1 else "s"))
    if left_out:
        parts.append(f"{left_out:,} without both scores")
    return " · ".join(parts)


def correlation_over_checkpoints(
    frame: pd.DataFrame,
    *,
    title: str = "",
    step_scale: StepAxis = "linear",
    colours: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw a correlation over training steps with its 95% band, on an axis from −1 to 1 with a line at 0.

    `frame` is as in `curves`: `model`, `step`, `value`, and `line` (which correlation), `low`, `high`, `n` where there are any;
    with `p` a marker is filled where p < 0.05 and open elsewhere (de Seyssel et al. 2025, figure 7).
    """
    drawn = curves(
        frame,
        x="step",
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
        symbol = trace.marker.symbol
        trace.marker.update(symbol=[symbol if each < LEVEL else f"{symbol}-open" for each in p], size=9)
        trace.marker.line.update(width=2, color=trace.marker.color)
        told = [
            text + (f"<br>p = {number(each, '.3f')} (languages permuted)" if each == each else "")
            for text, each in zip(trace.hovertext, p, strict=True)
        ]
        trace.hovertext = told
    return figure
