"""Ranked bars: a horizontal bar for each source, the best on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.levels import add_levels
from isogloss.backend.charts.parts.text import name_of, number, safe
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, QUIET, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike


def ranked_bars(
    names: Sequence[str],
    values: ArrayLike,
    *,
    value_title: str,
    best: Sequence[bool],
    deviations: ArrayLike | None = None,
    notes: Sequence[str] | None = None,
    levels: Mapping[str, float] | None = None,
    title: str = "",
    form: str = ".1f",
) -> go.Figure:
    """Draw bars from top to bottom in the order given, each with its number; the `best` in colour, the others grey.

    `deviations` draw a whisker to both sides, where not nan; `value_title` says what they are. `notes` end the hover.
    Dotted lines stand at `levels`, name → value: what guessing gives.
    A bar without a value (nan) is left out with its name.
    """
    all_values = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(all_values)).tolist()
    if not len(known):
        return empty("There is no value to rank for this selection.", title=title)
    figure = layout(go.Figure(), height=int(96 + 30 * max(len(known), 3)), title=title)
    shown = [names[i] for i in known]
    spread = np.full(len(known), np.nan) if deviations is None else np.asarray(deviations, dtype=np.float64)[known]
    hover = [
        f"<b>{safe(names[i])}</b><br>{safe(name_of(value_title))}: <b>{number(all_values[i], form)}</b>"
        + (f"<br>{safe(notes[i], None)}" if notes and notes[i] else "")
        for i in known
    ]
    figure.add_trace(
        go.Bar(
            x=np.ascontiguousarray(all_values[known], dtype=np.float32),
            y=np.arange(len(known)),
            orientation="h",
            marker={"color": [COLOURS[0] if best[i] else "rgba(128,128,128,0.35)" for i in known]},
            error_x={"type": "data", "array": np.nan_to_num(spread), "color": QUIET, "thickness": 2, "width": 4}
            if np.isfinite(spread).any()
            else None,
            hovertext=hover,
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
        )
    )
    figure.layout.xaxis = AXIS | {"title": AXIS["title"] | {"text": safe(value_title, None)}, "rangemode": "tozero"}
    labels = [f"{safe(name, 32)}  <b>{number(all_values[i], form)}</b>" for name, i in zip(shown, known, strict=True)]
    places = {"tickmode": "array", "tickvals": list(range(len(known))), "ticktext": labels, "showgrid": False}
    figure.layout.yaxis = AXIS | places | {"range": [len(known) - 0.4, -0.6]}
    figure.layout.margin.t = (40 if title else 8) + (20 if levels else 0)
    return add_levels(figure, levels or {}, axis="x", form=form)
