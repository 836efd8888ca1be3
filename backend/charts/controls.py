"""Lines of controls in a figure of curves: what the same evaluation gives where there is nothing to tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from isogloss.backend.charts.parts.axes import StepAxis, step_positions
from isogloss.backend.charts.parts.text import number, safe
from isogloss.backend.charts.parts.theme import colours_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

DASH_STYLES = {
    "dash": "Dashed",
    "dashdot": "Dash-dotted",
    "longdash": "Long dashes",
    "longdashdot": "Long dashes and dots",
    "3px,3px": "Short dashes",
    "12px,3px,3px,3px,3px,3px": "Dashes and two dots",
}
"""How controls are drawn, one after the other, and what a sentence calls it; chance is dotted."""


def add_controls(
    figure: go.Figure,
    frame: pd.DataFrame,
    *,
    x: Literal["step", "layer"],
    step_scale: StepAxis = "linear",
    colours: Mapping[str, str] | None = None,
    styles: Mapping[str, str],
) -> go.Figure:
    """Draw a thin line a model and control, without markers and legend: the caption says which dash is which.

    `frame` has `model`, `x`, `value`, `low`, `high` and `control` ("" for what is measured, which the figure has already and
    which places the steps). `styles` says how each control is dashed, one of `DASH_STYLES`. Return `figure`.
    """
    known = frame[np.isfinite(frame[x].to_numpy(np.float64, na_value=np.nan))]
    measured = sorted(set(known.loc[known["control"] == "", x].astype(float)))
    places = dict(zip(measured, step_positions(measured, step_scale) if x == "step" else measured, strict=True))
    palette = colours_of(known["model"].astype(str)) | dict(colours or {})
    for (model, control), line in known[known["control"] != ""].groupby(["model", "control"], sort=False):
        at = line[line[x].astype(float).isin(places)].sort_values(x)
        label = f"{safe(str(model))}, {safe(str(control))}<br>{'Step' if x == 'step' else 'Layer'}"
        texts = [
            f"{label}: <b>{place:,.0f}</b><br>Control: <b>{number(value, '.4f')}</b>{_interval(low, high)}"
            for place, value, low, high in zip(*(at[name] for name in (x, "value", "low", "high")), strict=True)
        ]
        figure.add_scatter(
            x=np.array([places[float(place)] for place in at[x]], np.float32),
            y=at["value"].to_numpy(np.float32),
            mode="lines",
            line={"color": palette[str(model)], "width": 1.5, "dash": styles[str(control)]},
            name=safe(f"{model}, {control}"),
            meta=safe(model, None),
            showlegend=False,
            hovertext=texts,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    return figure


def _interval(low: float, high: float) -> str:
    known = np.isfinite(low) and np.isfinite(high)
    return f"<br>95% interval: {number(low, '.4f')} to {number(high, '.4f')}" if known else ""
