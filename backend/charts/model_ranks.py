"""Models from the best to the worst: values and ranks with their intervals, and the letters of those that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.panels import axes_of
from isogloss.backend.charts.parts.text import name_of, number, safe, shorten, wrap_title
from isogloss.backend.charts.parts.theme import AXIS, COLOURS, QUIET, empty, layout

if TYPE_CHECKING:
    import pandas as pd

MANY = 20
ROWS = (26, 17)
"""Pixels of a row, of up to so many and of more models."""
ABOVE = 40
"""Pixels of the axes where they are above."""
VALUES, RANKS = (0.0, 0.56), (0.6, 1.0)
"""Which part of the width each panel has."""
NAME = 30
"""Letters of a model's name that fit beside the values."""
BEST, OTHERS = "May be the best", "Others"
SEEDS = "± 1 standard deviation between seeds"


def model_ranks(rows: pd.DataFrame, *, value_title: str, title: str = "", form: str = ".3f") -> go.Figure:
    """Draw a row a model, in the order given: its value on the left, its rank on the right, each with its 95% interval.

    `rows` have model, value, low, high, rank, rank_low, rank_high and group; those without a value are left out. In colour are
    those whose rank may be 1; letters stand at the right end, which two models share where they cannot be told apart. With
    seeds and seed_deviation a bar behind the value is one standard deviation between seeds to either side.
    """
    known = rows[np.isfinite(rows["value"].to_numpy(np.float64))].reset_index(drop=True)
    if known.empty:
        return empty("No model has a value for this selection.", title=title)
    row = ROWS[len(known) > MANY]
    figure = layout(go.Figure(), height=130 + row * max(len(known), 3), title=title)
    best = known["rank_low"].to_numpy(np.float64) == 1
    ends = known[["value", "low", "high"]].to_numpy(np.float64)
    if "seed_deviation" in known and known["seed_deviation"].notna().any():
        figure.add_trace(_seeds(known))
        reach = known["value"].to_numpy(np.float64)[:, None] + known["seed_deviation"].to_numpy(np.float64)[:, None] * [-1, 1]
        ends = np.hstack([ends, reach])
    for panel, columns in enumerate((("value", "low", "high"), ("rank", "rank_low", "rank_high"))):
        for some, name, colour in ((best, BEST, COLOURS[0]), (~best, OTHERS, QUIET)):
            if some.any():
                own = known[some]
                figure.add_traces(
                    [
                        _intervals(own, columns, colour, panel),
                        _points(own, columns, name, colour, panel, value_title, form, len(known)),
                    ]
                )
    places = {"tickmode": "array", "tickvals": list(range(len(known))), "range": [len(known) - 0.4, -0.6], "showgrid": True}
    names = [safe(shorten(str(name), NAME), None) for name in known["model"]]
    figure.layout.yaxis = AXIS | places | {"ticktext": names, "anchor": "x"}
    letters = {"ticktext": [safe(group) for group in known["group"]], "side": "right", "anchor": "x2"}
    figure.layout.yaxis2 = AXIS | places | letters
    figure.layout.xaxis = AXIS | {
        "title": AXIS["title"] | {"text": wrap_title(value_title, 420)},
        "domain": list(VALUES),
        "anchor": "y",
    }
    ranks = {
        "title": AXIS["title"] | {"text": "Rank (1 = best), with 95% interval; letters"},
        "domain": list(RANKS),
        "anchor": "y2",
    }
    least, most = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = 0.04 * ((most - least) or 1.0)  # else the lines end at the edge
    figure.layout.xaxis.range = [least - margin, most + margin]
    figure.layout.xaxis2 = AXIS | ranks | {"range": [0.5, len(known) + 0.5], "dtick": max(1, round(len(known) / 10))}
    figure.layout.showlegend = True
    if len(known) > MANY:  # axes below would be out of sight
        figure.update_xaxes(side="top")
        figure.layout.margin.t += ABOVE
        figure.layout.height += ABOVE
        figure.layout.legend.update(y=-0.01, yanchor="top")
    return figure


def _seeds(rows: pd.DataFrame) -> go.Scatter:
    """Draw a wide bar from one standard deviation between seeds below each value to one above it."""
    spread = rows.assign(below=rows["value"] - rows["seed_deviation"], above=rows["value"] + rows["seed_deviation"])
    bars = _intervals(spread, ("value", "below", "above"), COLOURS[2], 0)
    return bars.update(line={"width": 11}, opacity=0.35, name=SEEDS, showlegend=True)


def _intervals(rows: pd.DataFrame, columns: tuple[str, str, str], colour: str, panel: int) -> go.Scatter:
    """Draw a line from low to high for each row that has both."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for place, low, high in zip(rows.index.tolist(), rows[columns[1]], rows[columns[2]], strict=True):
        if np.isfinite(low) and np.isfinite(high):
            xs += [float(low), float(high), None]
            ys += [place, place, None]
    line = {"color": colour, "width": 3}
    return go.Scatter(x=xs[:-1], y=ys[:-1], mode="lines", line=line, hoverinfo="skip", showlegend=False, **axes_of(panel))


def _points(
    rows: pd.DataFrame,
    columns: tuple[str, str, str],
    name: str,
    colour: str,
    panel: int,
    value_title: str,
    form: str,
    models: int,
) -> go.Scatter:
    return go.Scatter(
        x=np.ascontiguousarray(rows[columns[0]], np.float32),
        y=rows.index.to_numpy(),
        mode="markers",
        marker={"color": colour, "size": 9, "symbol": "circle" if name == BEST else "square", "line": {"width": 0}},
        name=name,
        legendgroup=name,
        hovertext=[_hover(row, value_title, form, models) for row in rows.to_dict("records")],
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=panel == 0,
        **axes_of(panel),
    )


def _hover(row: dict[Any, Any], value_title: str, form: str, models: int) -> str:
    text = f"<b>{safe(row['model'])}</b><br>{safe(name_of(value_title))}: <b>{number(row['value'], form)}</b>"
    if np.isfinite(row["low"]):
        text += f"<br>95% interval: {number(row['low'], form)} to {number(row['high'], form)}"
    if row.get("seeds", 0) > 1:
        text += f"<br>{row['seeds']:.0f} seeds, standard deviation {number(row['seed_deviation'], form)}"
        text += f"; 95% with other seeds: {number(row['seed_low'], form)} to {number(row['seed_high'], form)}"
    text += f"<br>Rank {row['rank']:.0f} of {models}: {row['rank_low']:.0f} to {row['rank_high']:.0f}"
    return text + f"<br>Languages: {row['n']:,}"
