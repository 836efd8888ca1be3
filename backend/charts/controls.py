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

DASH_STYLES = ("dash", "dashdot")
"""The first and the second control; chance is dotted."""


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

    `frame` has `model`, `x`, `value` and `control` ("" for what is measured, which the figure has already and which places the
    steps). `styles` says how each control is dashed, one of `DASH_STYLES`. Return `figure`.
    """
    known = frame[np.isfinite(frame[x].to_numpy(np.float64, na_value=np.nan))]
    measured = sorted(set(known.loc[known["control"] == "", x].astype(float)))
    places = dict(zip(measured, step_positions(measured, step_scale) if x == "step" else measured, strict=True))
    palette = colours_of(known["model"].astype(str)) | dict(colours or {})
    for (model, control), line in known[known["control"] != ""].groupby(["model", "control"], sort=False):
        at = line[line[x].astype(float).isin(places)].sort_values(x)
        label = f"{safe(str(model))}, {safe(str(control))}<br>{'Step' if x == 'step' else 'Layer'}"
        texts = [
            f"{label}: <b>{place:,.0f}</b><br>Control: <b>{number(value, '.4f')}</b>"
            for place, value in zip(at[x], at["value"], strict=True)
        ]
        figure.add_scatter(
            x=np.array([places[float(place)] for place in at[x]], np.float32),
            y=at["value"].to_numpy(np.float32),
            mode="lines",
            line={"color": palette[str(model)], "width": 1.5, "dash": styles[str(control)]},
            name=safe(f"{model}, {control}"),
            showlegend=False,
            hovertext=texts,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    return figure
