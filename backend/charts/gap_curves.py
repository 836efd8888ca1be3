"""IGap and other shares over the training error: windows without a value are gaps in the line, never bridged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.levels import add_levels
from isogloss.backend.charts.parts.lines import Style, band_trace, line_trace, place_legend, styles_of
from isogloss.backend.charts.parts.panels import axes_of, in_panels
from isogloss.backend.charts.parts.paper import add_chance
from isogloss.backend.charts.parts.text import name_of, number, safe, wrap_title
from isogloss.backend.charts.parts.theme import change, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

MARKED = 40
"""Lines of more points than this have small markers: large ones would hide the line."""

INTERVAL = "95% interval over seeds"
FEW = 2_000
"""More points than this behind the lines are smaller and fainter."""


def gap_curves(
    frame: pd.DataFrame,
    *,
    x_title: str,
    y_title: str,
    title: str = "",
    epsilon: float | None = None,
    behind: pd.DataFrame | None = None,
    colours: Mapping[str, str] | None = None,
    x_end: float = 1.0,
    chance: float | None = None,
    levels: Mapping[str, float] | None = None,
    nothing: str = "No window has a value.",
    height: int = 480,
) -> go.Figure:
    """Draw a line for each `model` and `line` over `at`; shares of `frame` are drawn as percent.

    `frame` has the columns `model`, `line`, `at` and `value` (nan is a gap), and may have `least` and `most`, the models in the
    window, `directions`, the number behind a mean, `low`, `high` and `of_seeds`, the interval over so many seeds, and `panel`,
    in which of several panels a line is. `epsilon` is the width of
    the windows `[at, at + epsilon)`, for the hover. Points `behind` the lines (WebGL) have `model`, `line`, `train`, `value`,
    `step` and that `panel`. `colours` are those of models; dashes and markers tell the lines of one apart. `x_end` is the least
    end of the x axis, in percent. A dotted line stands at `chance`, a share; others fall
    from `levels` (name → share) at 0 as the training error rises: the gaps of models that guess in the target.
    """
    values = frame["value"].to_numpy(np.float64, na_value=np.nan)
    if not np.isfinite(values).any():
        return empty(nothing, title=title)
    figure = layout(go.Figure(), height=height, title=title)
    styles = styles_of(frame, colours or {})
    panels = list(dict.fromkeys(frame["panel"].astype(str))) if "panel" in frame else [""]
    traces: list[dict[str, Any]] = []
    for index, panel in enumerate(panels):
        own = frame[frame["panel"] == panel] if "panel" in frame else frame
        points = behind[behind["panel"] == panel] if behind is not None and "panel" in behind else behind
        shown = {trace["legendgroup"] for trace in traces}
        few = behind is None or len(behind) <= FEW
        for trace in _traces(own, points, styles, x_title, y_title, epsilon, few=few):
            once = {"showlegend": trace["showlegend"] and trace["legendgroup"] not in shown}
            traces.append(trace | (axes_of(index) | once if len(panels) > 1 else {}))
    figure.add_traces(traces)
    ends = from_zero([trace["x"] for trace in traces if "fill" not in trace], x_end)
    if len(panels) > 1:
        in_panels(figure, panels, x_title=x_title, y_title=y_title, x_range=ends)
        return add_levels(figure, _whole(levels), falling=True, panels=len(panels))
    along = {"title": {"text": safe(x_title, None), "standoff": 10}, "range": ends}
    change(figure, xaxis=along, yaxis={"title": {"text": wrap_title(y_title, height - 95), "standoff": 12}})
    if chance is not None:
        add_chance(figure, 100 * chance, f"chance {number(100 * chance, '.1f')}")
    add_levels(figure, _whole(levels), falling=True)
    place_legend(figure, sum(1 for trace in traces if trace["showlegend"]), bool(title))
    return figure


def _whole(levels: Mapping[str, float] | None) -> dict[str, float]:
    return {name: 100 * share for name, share in (levels or {}).items()}


def _traces(
    frame: pd.DataFrame,
    behind: pd.DataFrame | None,
    styles: Mapping[Any, Style],
    x_title: str,
    y_title: str,
    epsilon: float | None,
    *,
    few: bool,
) -> list[dict[str, Any]]:
    keys = ["model", "line"]
    points = [] if behind is None else [(key, own) for key, own in behind.groupby(keys) if key in styles]
    below = [_points(own, styles[key], few=few) | {"meta": safe(key[0], None)} for key, own in points]
    lines = frame.groupby(keys, sort=False)
    drawn = [(key, each) for key, own in lines for each in _line(own, styles[key], x_title, y_title, epsilon)]
    return below + [each | {"meta": safe(key[0], None)} for key, each in drawn]


def from_zero(values: Sequence[np.ndarray], least: float = 1.0) -> tuple[float, float]:
    """Ends of an axis of percentages from 0 to the greatest of `values` and `least`, with room for the markers at both ends."""
    top = max(least, *(float(each.max()) for each in values if len(each)))
    return -0.02 * top, 1.02 * top


def _line(own: pd.DataFrame, style: Style, x_title: str, y_title: str, epsilon: float | None) -> list[dict[str, Any]]:
    """Return the line, and before it the band of its intervals where it has some."""
    own = own.sort_values("at")
    size = 7 if own["value"].notna().sum() <= MARKED else 4
    hover = _hover(own, style.label, name_of(x_title), name_of(y_title), epsilon)
    above = line_trace(style, _percent(own, "at"), _percent(own, "value"), hover, size=size)
    if "low" not in own:
        return [above]
    below = band_trace(style, _percent(own, "at"), _percent(own, "low"), _percent(own, "high"), INTERVAL)
    return [below, above] if below["x"] else [above]


def _points(record_points: pd.DataFrame, style: Style, *, few: bool) -> dict[str, Any]:
    return {
        "type": "scattergl",
        "x": _percent(record_points, "train"),
        "y": _percent(record_points, "value"),
        "mode": "markers",
        "marker": {"color": style.colour} | ({"size": 5, "opacity": 0.5} if few else {"size": 4, "opacity": 0.25}),
        "customdata": record_points["step"].to_numpy(np.int32),
        "name": safe(style.label),
        "legendgroup": safe(style.label, None),
        "showlegend": False,
        "hovertemplate": f"{safe(style.label)}<br>One model, step %{{customdata:,}}<br>"
        "Training error: <b>%{x:.1f}%</b><br>Interlingual gap: <b>%{y:.1f}</b><extra></extra>",
    }


def _percent(own: pd.DataFrame, name: str) -> np.ndarray:
    return np.ascontiguousarray(100 * own[name].to_numpy(np.float64, na_value=np.nan), dtype=np.float32)


def _hover(own: pd.DataFrame, label: str, x: str, y: str, epsilon: float | None) -> list[str]:
    texts = []
    names = ("least", "most", "directions", "of_seeds", "low", "high")
    columns = {name: own[name].tolist() if name in own else [None] * len(own) for name in names}
    rows = zip(own["at"].tolist(), own["value"].tolist(), *columns.values(), strict=True)
    for at, value, least, most, directions, of_seeds, low, high in rows:
        if not np.isfinite(value):  # drawn as a gap: nothing to point at
            texts.append("")
            continue
        ends = f"{100 * at:g}%" if epsilon is None else f"{100 * at:g}% to under {round(100 * (at + epsilon), 9):g}%"
        text = f"{safe(label)}<br>{safe(x)}: <b>{ends}</b><br>{safe(y)}: <b>{number(100 * value, '.1f')}</b>"
        if of_seeds:
            text += f"<br>Mean of {of_seeds:,.0f} seeds" if of_seeds > 1 else "<br>Of 1 seed"
        if of_seeds and np.isfinite(low):
            text += f"<br>{INTERVAL}: {number(100 * low, '.1f')} to {number(100 * high, '.1f')}"
        if most is not None:
            text += f"<br>Models in the window: {least:,.0f}" + (f" to {most:,.0f}" if most != least else "")
        texts.append(text + (f"<br>Mean of {directions:,.0f} directions" if directions is not None else ""))
    return texts
