"""Scatter every record point of many fine-tuning runs: training error against a gap, with WebGL for up to 100,000."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.gap_curves import from_zero
from isogloss.backend.charts.parts.levels import add_levels
from isogloss.backend.charts.parts.lines import legend_beside
from isogloss.backend.charts.parts.panels import axes_of, in_panels
from isogloss.backend.charts.parts.text import name_of, safe, wrap_title
from isogloss.backend.charts.parts.theme import SYMBOLS, change, colour_scale, colours_of, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

ColourBy = Literal["model", "epoch", "target"]
Along = Literal["train", "step", "epoch"]
"""What stands along the horizontal axis: a share drawn as percent, or a number as it is."""

DENSE = 20_000
"""More points than this are drawn smaller and fainter."""


def record_points(
    frame: pd.DataFrame,
    *,
    colour_by: ColourBy,
    along: Along = "train",
    x_title: str,
    y_title: str,
    title: str = "",
    colours: Mapping[str, str] | None = None,
    levels: Mapping[str, float] | None = None,
    falling: bool = False,
    nothing: str = "No record point has both errors.",
) -> go.Figure:
    """Draw a point for each row; shares of `frame` are drawn as percent.

    `frame` has the columns `name` (the model with what tells it apart), `model`, `source`, `train`, `value`, `step` and
    `epoch`, and may have `target`, where rows are not means over the targets, and `panel`, in which of several panels a point
    lies. Nothing is missing. `colour_by` colours by model, each with a symbol too; by epoch, on a scale (symbols tell models
    apart); or by target, each with a colour and symbol of its own. `colours` has a colour for each `model`. Dotted lines
    stand at `levels` (name → share), or fall from there as the training error rises: what guessing gives.
    """
    if frame.empty:
        return empty(nothing, title=title)
    figure = layout(go.Figure(), height=520, title=title)
    columns = ["target"] if colour_by == "target" else ["name", "model"]
    groups = list(frame.groupby(columns, sort=colour_by == "target", observed=True))
    palette = dict(colours or colours_of(dict.fromkeys(frame["model"].astype(str))))
    if colour_by == "target":
        palette = colours_of(str(key[0]) for key, _ in groups)
    panels = list(dict.fromkeys(frame["panel"].astype(str))) if "panel" in frame else [""]
    in_legend: set[int] = set()
    for place, panel in enumerate(panels):
        for index, (key, whole) in enumerate(groups):
            panel_rows = whole[whole["panel"] == panel] if len(panels) > 1 else whole
            if panel_rows.empty:
                continue
            marker = _marker(panel_rows, colour_by, index, palette, key, small=len(frame) > DENSE)
            legend = len(groups) > 1 and index not in in_legend
            in_legend.add(index)
            trace = _trace(panel_rows, marker, str(key[0]), along, x_title, y_title, by=colour_by, legend=legend)
            figure.add_trace(trace.update(axes_of(place) | {"legendgroup": str(index)}) if len(panels) > 1 else trace)
    ends = from_zero([_percent(frame["train"]) if along == "train" else frame[along].to_numpy(np.float64)])
    if len(panels) > 1:
        in_panels(figure, panels, x_title=x_title, y_title=y_title, x_range=ends)
    else:
        across = {"title": {"text": safe(x_title, None), "standoff": 10}, "range": ends}
        up = {"title": {"text": wrap_title(y_title, figure.layout.height - 95), "standoff": 12}}
        change(figure, xaxis=across, yaxis=up)
    _place_key(figure, colour_by, beside=len(groups) > 2 and len(panels) == 1)
    at = {name: 100 * share for name, share in (levels or {}).items()}
    return add_levels(figure, at, falling=falling, panels=len(panels))


def _place_key(figure: go.Figure, by: ColourBy, *, beside: bool) -> None:
    """Give the colours by epoch a bar; place the legend, `beside` the figure where there is much to name."""
    if by == "epoch":
        bar = {"title": {"text": "Epoch", "side": "right"}, "thickness": 14, "outlinewidth": 0}
        figure.layout.coloraxis = {"colorscale": colour_scale("viridis"), "colorbar": bar}
    elif beside:
        legend_beside(figure)
    figure.layout.legend.itemsizing = "constant"


def _marker(
    panel_rows: pd.DataFrame, by: ColourBy, index: int, palette: Mapping[str, str], key: Sequence[Any], *, small: bool
) -> dict[str, Any]:
    marker: dict[str, Any] = {"size": 4 if small else 6, "opacity": 0.35 if small else 0.6}
    marker["symbol"] = SYMBOLS[(index // 7 + index if by == "target" else index) % len(SYMBOLS)]
    if by == "epoch":
        return marker | {"color": panel_rows["epoch"].to_numpy(np.float32), "coloraxis": "coloraxis"}
    return marker | {"color": palette[str(key[-1])]}


def _trace(
    panel_rows: pd.DataFrame,
    marker: dict[str, Any],
    name: str,
    along: Along,
    x_title: str,
    y_title: str,
    *,
    by: ColourBy,
    legend: bool,
) -> go.Scattergl:
    source = panel_rows["source"].astype(str)
    ends = source + " → " + panel_rows["target"].astype(str) if "target" in panel_rows else source + " → mean of targets"
    codes = {text: safe(text) for text in ends.unique()}
    head = "" if by == "target" else f"{safe(name)}<br>"
    x, y = safe(name_of(x_title)), safe(name_of(y_title))
    across = f"{x}: <b>%{{x:.1f}}%</b><br>" if along == "train" else ""
    return go.Scattergl(
        x=_percent(panel_rows["train"]) if along == "train" else np.ascontiguousarray(panel_rows[along].to_numpy(np.float32)),
        y=_percent(panel_rows["value"]),
        mode="markers",
        marker=marker,
        name=safe(name),
        showlegend=legend,
        # Whole columns as arrays: a text made for each of 100,000 points would be most of what is sent.
        text=ends.map(codes).to_numpy(object),
        customdata=np.column_stack([panel_rows["epoch"].to_numpy(np.int32), panel_rows["step"].to_numpy(np.int32)]),
        hovertemplate=f"%{{text}}<br>{head}Epoch %{{customdata[0]}}, step %{{customdata[1]:,}}<br>"
        f"{across}{y}: <b>%{{y:.1f}}</b><extra></extra>",
    )


def _percent(column: pd.Series) -> np.ndarray:
    return np.ascontiguousarray(100 * column.to_numpy(np.float64), dtype=np.float32)
