"""Stages of a training: as bands behind curves, and as groups of a heatmap's columns."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from isogloss.backend.charts.parts.text import safe, shorten
from isogloss.backend.charts.parts.theme import QUIET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

GROUP = "\n"
"""Parts a label on a heatmap's axis, or a stage before it, from what it is called within that."""
CHARACTER = 6.6
"""Width in pixels of a typical character of a stage's name (12 px)."""
FEWEST = 6
"""A longer name is not shortened to fewer characters than these."""
TURNED = 15
"""Pixels that a name needs that is turned by 90 degrees."""
NARROW = 420
"""Pixels that curves have side by side."""
Run = tuple[str, float, float]
"""A stage, and its first and last place on an axis."""


def add_bands(figure: go.Figure, rows: pd.DataFrame, places: Mapping[float, float]) -> go.Figure:
    """Shade every second stage behind curves, part stages by lines, and name those that have room for it.

    `rows` have model, step and stage (empty: none), `places` the place of each step on the axis, whose range is set. Where two
    models differ in their stages nothing is drawn: a band is one model's.
    """
    runs = {model: _runs(own, places) for model, own in rows[rows["stage"] != ""].groupby("model", sort=False)}
    first, *others = [*runs.values()] or [[]]
    if len(first) < 2 or any(other != first for other in others):
        return figure
    low, high = figure.layout.xaxis.range
    edges = [low, *((one[2] + other[1]) / 2 for one, other in pairwise(first)), high]
    for place, ((name, *_), (left, right)) in enumerate(zip(first, pairwise(edges), strict=True)):
        if place % 2:
            figure.add_shape(
                _tall(left, right), type="rect", fillcolor="rgba(128,128,128,0.13)", line={"width": 0}, layer="below"
            )
        if place:
            figure.add_shape(_tall(left, left), type="line", line={"color": QUIET, "width": 1, "dash": "dot"}, layer="below")
        _name(figure, name, (left + right) / 2, (right - left) / ((high - low) or 1.0) * NARROW)
    return figure


def add_column_stages(figure: go.Figure, labels: Sequence[str], panel: str, pixels: float) -> go.Figure:
    """Part the columns of a heatmap's panel (on axes "x" and "y" followed by `panel`) where their stage changes, and name each.

    The names stand above the cells, shortened to their room among the panel's `pixels`; the hover of a cell has them whole.
    """
    stages = [label.partition(GROUP)[0] if GROUP in label else "" for label in labels]
    if not any(stages):
        return figure
    x, y, start = f"x{panel}", f"y{panel} domain", 0
    for name, members in groupby(stages):
        length = sum(1 for _ in members)
        if start:
            line = {"color": "rgba(255,255,255,0.85)", "width": 2}
            figure.add_shape(type="line", xref=x, yref=y, x0=start - 0.5, x1=start - 0.5, y0=0, y1=1.02, line=line)
        room = int(pixels * length / len(stages) / CHARACTER)
        if room >= min(len(name), FEWEST):
            figure.add_annotation(
                x=start + (length - 1) / 2,
                y=1,
                xref=x,
                yref=y,
                text=safe(shorten(name, room)),
                showarrow=False,
                yanchor="bottom",
                font={"size": 12},
                hovertext=safe(name),
            )
        start += length
    return figure


def within_stage(label: str) -> str:
    """Return what a label says within its stage: `1k` of `stage2`, a line break and `1k`."""
    return label.partition(GROUP)[2] or label


def _runs(rows: pd.DataFrame, places: Mapping[float, float]) -> list[Run]:
    steps = rows.drop_duplicates("step").sort_values("step")
    pairs = zip(steps["stage"].astype(str), (places[step] for step in steps["step"].astype(float)), strict=True)
    found = [(name, [place for _, place in members]) for name, members in groupby(pairs, key=lambda pair: pair[0])]
    return [(name, own[0], own[-1]) for name, own in found]


def _tall(left: float, right: float) -> dict[str, Any]:
    return {"xref": "x", "yref": "paper", "x0": left, "x1": right, "y0": 0, "y1": 1}


def _name(figure: go.Figure, name: str, middle: float, pixels: float) -> None:
    is_turned = len(name) * CHARACTER > pixels
    if is_turned and pixels < TURNED:
        return
    figure.add_annotation(
        x=middle,
        y=1,
        xref="x",
        yref="paper",
        text=safe(name, 24),
        showarrow=False,
        yanchor="top",
        textangle=-90 if is_turned else 0,
        font={"size": 12},
    )
