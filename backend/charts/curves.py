"""Line charts with bands: scores over training steps, epochs or layers, several models overlaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.axes import BREAK, StepAxis, broken_at, step_axis, step_positions
from isogloss.backend.charts.parts.end_labels import name_ends
from isogloss.backend.charts.parts.lines import Style, band_trace, line_trace, place_legend, styles_of
from isogloss.backend.charts.parts.paper import add_chance
from isogloss.backend.charts.parts.stages import add_bands
from isogloss.backend.charts.parts.text import BEYOND, in_one_line, name_of, number, safe, step_label, wrap_title
from isogloss.backend.charts.parts.theme import CHANCE, change, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

TOLD_APART = 7
"""More lines of one model than this have colours too near each other, and dashes and markers too."""
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
    panels: bool = False,
    height: int = 460,
    axis: str = "",
    form: str = ".3f",
) -> go.Figure:
    """Draw one line for each model, or each `line` of a model, over the column named by `x`.

    `frame` has the columns `model`, `x` and `value`, and may have `line`, `low`, `high` (the band) and `n` (`n_title`). A
    missing value, or a place that only the model's other lines have, is a gap. `step_scale` "log" puts step 0 left of a break.
    `value_range` None fits the data. A dotted line at `chance` is called `chance_label`. `interval` is the kind of the
    intervals; without `bands` only the hover has them, in the format `form`. A click reports model, `line` and x. More than
    seven models, of a line each, are named at the ends of their lines, and have no bands; not so where they come into `panels`
    of their own (`apart`).

    `axis` is the title of x where `step` is another place in the training than its step. With the columns `stage` and `label`,
    stages are bands behind the curves, and the hover has the checkpoint's label.
    """
    data = frame[np.isfinite(frame[x].to_numpy(np.float64, na_value=np.nan))]
    if not np.isfinite(data["value"].to_numpy(np.float64, na_value=np.nan)).any():
        return empty("There are no scores to draw for this selection yet.", title=title)
    figure = layout(go.Figure(), height=height, title=title)
    named = data.assign(model=data["model"].astype(str), line=data["line"].astype(str) if "line" in data.columns else "")
    all_x = sorted(set(data[x].astype(float)))
    places = dict(zip(all_x, step_positions(all_x, step_scale) if x == "step" else all_x, strict=True))
    of_models = {model: sorted(set(own[x].astype(float))) for model, own in named.groupby("model")}
    lines = named.groupby(["model", "line"])
    many = not panels and len(of_models) > TOLD_APART and len(lines) == len(of_models)
    traces: list[dict[str, Any]] = []
    for key, style in styles_of(named, colours or {}, told_apart=TOLD_APART).items():
        own_x = of_models[key[0]]
        line = lines.get_group(key)
        where = _where(line, own_x, x, axis)
        drawn = _line(line, own_x, places, x, style, where, value_title, n_title, interval, bands and not many, form)
        drawn[-1]["customdata"] = [[*key, place] for place in own_x]
        traces += [trace | {"meta": safe(key[0], None)} for trace in drawn]
    figure.add_traces(traces)  # at once and as plain dictionaries: plotly would check and copy each of them twice
    _finish_axes(figure, x, all_x, step_scale, value_title, value_range, axis or TITLES[x])
    if "stage" in named.columns and x == "step":
        add_bands(figure, named, places)
    drawn_chance = (
        chance if chance is not None and (value_range is None or value_range[0] <= chance <= value_range[1]) else None
    )
    if many:
        name_ends(figure, traces, drawn_chance)
    else:
        place_legend(figure, len([trace for trace in figure.data if trace.showlegend]), bool(title))
    if drawn_chance is not None:
        add_chance(figure, drawn_chance, chance_label)
    return figure


def _line(
    line: pd.DataFrame,
    xs: Sequence[float],
    places: Mapping[float, float],
    x: str,
    style: Style,
    where: Sequence[str],
    value_title: str,
    n_title: str,
    interval: str,
    bands: bool,
    form: str,
) -> list[dict[str, Any]]:
    """`line` at every one of `xs` (a gap where it has no value) with its band below it in the stack, as traces."""
    if line[x].duplicated().any():
        raise ValueError(f"The line '{style.label}' has more than one value at the same {x}: aggregate first.")
    at = line.set_index(line[x].astype(float)).reindex(np.asarray(xs))
    columns = {
        name: at[name].to_numpy(np.float64, na_value=np.nan, copy=True) if name in at.columns else np.full(len(xs), np.nan)
        for name in ("value", "low", "high", "n")
    }
    across = np.array([places[step] for step in xs])
    missing = ~np.isfinite(columns["value"])
    columns["low"][missing] = np.nan
    hover = _hover(style.label, where, columns, value_title, n_title, interval, form)
    above = line_trace(style, across.astype(np.float32), columns["value"].astype(np.float32), hover)
    above["showlegend"] = bool(style.label)
    below = band_trace(style, across, columns["low"], columns["high"], interval)
    return [below, above] if below["x"] and bands else [above]


def _where(line: pd.DataFrame, xs: Sequence[float], x: str, axis: str) -> list[str]:
    """Say where each of `xs` is; with the labels of `line`, which checkpoint that is, too."""
    name = safe(name_of(axis)) or ("Step" if x == "step" else x.capitalize())
    numbers = [step_label(place) if axis else f"{place:,.0f}" if x == "step" else f"{place:g}" for place in xs]
    texts = [f"{name}: <b>{number}</b>" for number in numbers]
    if "stage" not in line or "label" not in line:
        return texts
    told = dict(zip(line[x].astype(float), line["label"].astype(str), strict=True))
    return [
        f"Checkpoint: <b>{safe(told[place])}</b><br>{text}" if place in told else text
        for place, text in zip(xs, texts, strict=True)
    ]


def _hover(
    label: str,
    where: Sequence[str],
    columns: Mapping[str, np.ndarray],
    value_title: str,
    n_title: str,
    interval: str,
    form: str,
) -> list[str]:
    texts = []
    for place, value, low, high, n in zip(where, columns["value"], columns["low"], columns["high"], columns["n"], strict=True):
        text = f"{safe(label)}<br>{place}<br>{safe(name_of(value_title))}: <b>{number(value, form)}</b>"
        if np.isfinite(low) and np.isfinite(high):
            text += f"<br>{interval}: {number(low, form)} to {number(high, form)}"
        texts.append(text + (f"<br>{safe(n_title)}: {n:,.0f}" if np.isfinite(n) else ""))
    return texts


def _finish_axes(
    figure: go.Figure,
    x: str,
    all_x: Sequence[float],
    step_scale: StepAxis,
    value_title: str,
    value_range: tuple[float, float] | None,
    axis: str,
) -> None:
    room = figure.layout.height - 95 + BEYOND
    title = in_one_line(value_title, room) if figure.layout.title.text else value_title
    up = {"title": {"text": wrap_title(title, room), "standoff": 12}, "range": value_range}
    along: dict[str, Any] = {"title": {"text": axis, "standoff": 10}}
    match x:
        case "epoch":
            along |= {"rangemode": "tozero"}
        case "layer":
            along |= {"tickmode": "linear", "tick0": 0, "dtick": 1 if len(all_x) <= 26 else 2}
        case _:
            along = step_axis(all_x, step_scale, axis + (" (logarithmic)" if step_scale == "log" else ""))
    change(figure, xaxis=along, yaxis=up)
    if x != "step":
        return
    if (place := broken_at(all_x, step_scale)) is not None:
        figure.add_annotation(
            x=place,
            y=0,
            yref="paper",
            text=BREAK,
            showarrow=False,
            yanchor="middle",
            font={"size": 15},
            hovertext="The axis is broken here: step 0 has no logarithm.",
        )


def shared_range(*frames: pd.DataFrame, at_least: Sequence[float] = ()) -> tuple[float, float] | None:
    """Return the range of values and intervals of several figures that stand side by side; None where there are none."""
    found = [
        frame[frame.columns.intersection(["value", "low", "high"])].to_numpy(np.float64, na_value=np.nan) for frame in frames
    ]
    values = np.concatenate([np.asarray(at_least, np.float64), *(each.ravel() for each in found)])
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    room = max(float(np.ptp(values)), 0.01) / 20
    return round(float(values.min()) - room, 4), round(float(values.max()) + room, 4)


def step_names(steps: Sequence[float | None]) -> list[str]:
    """Labels for checkpoints on a heatmap's axis."""
    return [step_label(step) for step in steps]
