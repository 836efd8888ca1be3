"""Line charts with bands: scores over training steps, epochs or layers, several models overlaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import plotly.graph_objects as go

from backend.charts.parts.axes import StepAxis, broken_at, step_axis, step_positions
from backend.charts.parts.paper import add_chance
from backend.charts.parts.text import name_of, number, safe, shorten, step_label, wrap_title
from backend.charts.parts.theme import CHANCE, DASHES, SYMBOLS, colours_of, empty, layout, ramp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

BESIDE = 2
"""More lines than this are named beside the figure, where they take no height from it."""
ENTRY = 29
"""Height of a legend's entry in pixels."""
LONGEST = 40
"""Characters of a model's name in the legend, which stands above or beside the lines."""
TOLD_APART = 7
"""More lines of one model than this have colours too near each other, and dashes and markers too."""
TALLEST = 600
"""A figure grows up to here so that its legend fits; beyond it the legend scrolls."""

TITLES = {"step": "Training step", "layer": "Layer (0 = input embedding)", "epoch": "Epoch"}


def curves(
    frame: pd.DataFrame,
    *,
    x: Literal["step", "layer", "epoch"],
    value_title: str,
    title: str = "",
    step_scale: StepAxis = "linear",
    colours: Mapping[str, str] | None = None,
    value_range: tuple[float, float] | None = None,
    chance: float | None = CHANCE,
    chance_label: str = "chance",
    n_title: str = "Sentences",
    interval: str = "95% interval",
    bands: bool = True,
    height: int = 460,
) -> go.Figure:
    """Draw one line for each model, or each `line` of a model, over the column named by `x`.

    `frame` has the columns `model`, `x` and `value`, and may have `line`, `low`, `high` (the band) and `n` (`n_title`). A
    missing value, or a place that only the model's other lines have, is a gap. `step_scale` "log" puts step 0 left of a break.
    `value_range` None fits the data. A dotted line at `chance` is called `chance_label`. `interval` is the kind of the
    intervals; without `bands` only the hover has them. A click reports model, `line` and x.
    """
    data = frame[np.isfinite(frame[x].to_numpy(np.float64, na_value=np.nan))]
    if not np.isfinite(data["value"].to_numpy(np.float64, na_value=np.nan)).any():
        return empty("There are no scores to draw for this selection yet.", title=title)
    figure = layout(go.Figure(), height=height, title=title)
    models = list(dict.fromkeys(data["model"].astype(str)))
    palette = colours_of(models) | dict(colours or {})
    all_x = sorted(set(data[x].astype(float)))
    places = dict(zip(all_x, step_positions(all_x, step_scale) if x == "step" else all_x, strict=True))
    traces: list[dict[str, Any]] = []
    for index, model in enumerate(models):
        of_model = data[data["model"].astype(str) == model]
        names = list(dict.fromkeys(of_model["line"].astype(str))) if "line" in data.columns else [""]
        shades = ramp(len(names)) if len(models) == 1 and len(names) > 1 else [palette[model]] * len(names)
        own_x = sorted(set(of_model[x].astype(float)))
        for order, name in enumerate(names):
            line = of_model[of_model["line"].astype(str) == name] if "line" in data.columns else of_model
            mark = order if len(names) > (1 if len(models) > 1 else TOLD_APART) else index
            owner = shorten(model, LONGEST) if len(models) > 1 or not name else ""
            label = " · ".join(part for part in (owner, name) if part)
            clicked = [[model, name, place] for place in own_x]
            traces += _line(line, own_x, places, x, label, shades[order], mark, value_title, n_title, interval, bands, clicked)
    figure.add_traces(traces)  # at once and as plain dictionaries: plotly would check and copy each of them twice
    _finish_axes(figure, x, all_x, step_scale, value_title, value_range)
    place_legend(figure, len([trace for trace in figure.data if trace.showlegend]), bool(title))
    if chance is not None and (value_range is None or value_range[0] <= chance <= value_range[1]):
        add_chance(figure, chance, chance_label)
    return figure


def _line(
    line: pd.DataFrame,
    xs: Sequence[float],
    places: Mapping[float, float],
    x: str,
    label: str,
    colour: str,
    mark: int,
    value_title: str,
    n_title: str,
    interval: str,
    bands: bool,
    clicked: list[list[object]],
) -> list[dict[str, Any]]:
    """`line` at every one of `xs` (a gap where it has no value) with its band below it in the stack, as traces."""
    if line[x].duplicated().any():
        raise ValueError(f"The line '{label}' has more than one value at the same {x}: aggregate first.")
    at = line.set_index(line[x].astype(float)).reindex(np.asarray(xs))
    columns = {
        name: at[name].to_numpy(np.float64, na_value=np.nan, copy=True) if name in at.columns else np.full(len(xs), np.nan)
        for name in ("value", "low", "high", "n")
    }
    across = np.array([places[step] for step in xs])
    missing = ~np.isfinite(columns["value"])
    columns["low"][missing] = np.nan
    band_x, band_y = band(across, columns["low"], columns["high"])
    group = safe(label, None)
    below = {"x": band_x, "y": band_y, "legendgroup": group, "name": f"{safe(label)}, {interval}"} | _band_style(colour)
    above = {
        "type": "scatter",
        "x": across.astype(np.float32),
        "y": columns["value"].astype(np.float32),
        "mode": "lines+markers",
        "connectgaps": False,
        "line": {"color": colour, "width": 2.5, "dash": DASHES[mark % len(DASHES)]},
        "marker": {"symbol": SYMBOLS[mark % len(SYMBOLS)], "size": 7, "color": colour},
        "name": safe(label),
        "legendgroup": group,
        "showlegend": bool(label),
        "hovertext": _hover(label, x, xs, columns, value_title, n_title, interval),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": clicked,
    }
    return [below, above] if band_x and bands else [above]


def _band_style(colour: str) -> dict[str, Any]:
    line = {"mode": "lines", "line": {"width": 0.5, "color": _faded(colour, 0.35)}}
    area = {"fill": "toself", "fillcolor": _faded(colour, 0.18), "hoverinfo": "skip"}
    return {"type": "scatter", "showlegend": False} | line | area


def _hover(
    label: str, x: str, xs: Sequence[float], columns: Mapping[str, np.ndarray], value_title: str, n_title: str, interval: str
) -> list[str]:
    texts = []
    for place, value, low, high, n in zip(xs, columns["value"], columns["low"], columns["high"], columns["n"], strict=True):
        where = f"Step: <b>{place:,.0f}</b>" if x == "step" else f"{x.capitalize()}: <b>{place:g}</b>"
        text = f"{safe(label)}<br>{where}<br>{safe(name_of(value_title))}: <b>{number(value)}</b>"
        if np.isfinite(low) and np.isfinite(high):
            text += f"<br>{interval}: {number(low)} to {number(high)}"
        texts.append(text + (f"<br>{safe(n_title)}: {n:,.0f}" if np.isfinite(n) else ""))
    return texts


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


def _finish_axes(
    figure: go.Figure,
    x: str,
    all_x: Sequence[float],
    step_scale: StepAxis,
    value_title: str,
    value_range: tuple[float, float] | None,
) -> None:
    figure.update_yaxes(title={"text": wrap_title(value_title, figure.layout.height - 95), "standoff": 12}, range=value_range)
    if x == "epoch":
        figure.update_xaxes(title={"text": TITLES["epoch"], "standoff": 10}, rangemode="tozero")
        return
    if x == "layer":
        figure.update_xaxes(title={"text": TITLES["layer"], "standoff": 10}, tickmode="linear", tick0=0, dtick=1)
        if len(all_x) > 26:
            figure.update_xaxes(dtick=2)
        return
    name = TITLES["step"] + (" (logarithmic)" if step_scale == "log" else "")
    figure.update_xaxes(**step_axis(all_x, step_scale, name))
    if (place := broken_at(all_x, step_scale)) is not None:
        figure.add_annotation(
            x=place,
            y=0,
            yref="paper",
            text="//",
            showarrow=False,
            yanchor="middle",
            font={"size": 15},
            hovertext="The axis is broken here: step 0 has no logarithm.",
        )


def place_legend(figure: go.Figure, entries: int, title: bool) -> None:
    """Place the legend: few lines a row each between title and figure, many beside it."""
    if entries > BESIDE:
        figure.layout.legend.update(orientation="v", x=1.01, xanchor="left", y=1, yanchor="top")
        figure.layout.height = max(figure.layout.height, min(TALLEST, entries * ENTRY + 130))
    else:
        figure.layout.margin.t = (34 if title else 10) + max(entries * ENTRY, 16)


def _faded(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def step_names(steps: Sequence[float | None]) -> list[str]:
    """Labels for checkpoints on a heatmap's axis."""
    return [step_label(step) for step in steps]
