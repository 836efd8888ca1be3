"""Grouped bars: one measure of several kinds, side by side for each language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.text import name_of, number, safe, wrap_title
from isogloss.backend.charts.parts.theme import CHANCE, QUIET, change, colours_of, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

PATTERNS = ("", "/", "x", ".", "\\", "-", "+")
"""Drawn along with the colour, so that no difference rests on colour alone."""
_OVER = {"fillmode": "overlay", "fgcolor": "rgba(255,255,255,0.75)", "size": 6, "solidity": 0.25}
"""The pattern is drawn in white over the whole bar, which would else look paler than one without."""
LABELLED = 24
"""As many bars, or fewer, have their numbers on them."""


def grouped_bars(
    frame: pd.DataFrame,
    *,
    group: str,
    kind: str,
    value_title: str,
    groups: Sequence[str] | None = None,
    names: Mapping[str, str] | None = None,
    title: str = "",
    colours: Mapping[str, str] | None = None,
    chance: float | None = CHANCE,
    n: str | None = None,
    n_title: str = "",
    height: int = 420,
) -> go.Figure:
    """Draw a bar for each row of `frame`, in percent: the rows of a group side by side, a colour and pattern a kind.

    `frame` has the columns named by `group` and `kind`, and `value`, a share from 0 to 1; nan has no bar. `groups` are those
    from left to right, by default in the frame's order, and `names` their labels. `colours` has a colour for each kind
    (`theme.colours_of` all kinds). A dotted line marks `chance`, a share. The hover shows the column `n` as `n_title`.
    Raises ValueError where a group has a kind twice.
    """
    if frame.duplicated([group, kind]).any():
        raise ValueError(f"A {group} has more than one bar of one {kind}: aggregate first.")
    if not np.isfinite(frame["value"].to_numpy(np.float64, na_value=np.nan)).any():
        return empty("There are no values to draw for this selection.", title=title)
    order = list(groups if groups is not None else dict.fromkeys(frame[group]))
    labels = [safe((names or {}).get(kind_name, kind_name)) for kind_name in order]
    kinds = list(dict.fromkeys(frame[kind]))
    palette = {**colours_of(kinds), **(colours or {})}
    figure = layout(go.Figure(), height=height, title=title)
    for place, kind_name in enumerate(kinds):
        own = frame[frame[kind] == kind_name].set_index(group).reindex(order)
        shares = 100 * own["value"].to_numpy(np.float64, na_value=np.nan)
        counts = own[n].to_numpy(np.float64, na_value=np.nan) if n else np.full(len(order), np.nan)
        marker = {"color": palette[kind_name], "pattern": {"shape": PATTERNS[place % len(PATTERNS)]} | _OVER}
        labelled = len(order) * len(kinds) <= LABELLED
        figure.add_trace(_bars(shares, counts, labels, kind_name, value_title, n_title, marker, labelled=labelled))
    figure.update_layout(barmode="group", bargap=0.25, showlegend=True)
    along = {"tickmode": "array", "tickvals": list(range(len(order))), "ticktext": labels, "showgrid": False}
    up = {"text": wrap_title(value_title, height - 95), "standoff": 12}
    change(figure, xaxis=along, yaxis={"title": up, "range": [0, 105], "tick0": 0, "dtick": 25})
    if chance is not None:
        _add_chance(figure, 100 * chance)
    return figure


def _bars(
    percents: np.ndarray,
    counts: np.ndarray,
    groups: Sequence[str],
    kind: str,
    value_title: str,
    n_title: str,
    marker: Mapping[str, object],
    *,
    labelled: bool,
) -> go.Bar:
    """Return the bars of one kind, a group each, with what stands under the pointer."""
    texts = [number(percent, ".1f") for percent in percents]
    hover = [
        f"{name}<br>{safe(kind)}<br>{safe(name_of(value_title))}: <b>{text}</b>"
        + (f"<br>{safe(n_title)}: {count:,.0f}" if np.isfinite(count) else "")
        for name, text, count in zip(groups, texts, counts, strict=True)
    ]
    return go.Bar(
        x=np.arange(len(groups), dtype=np.float32),
        y=percents.astype(np.float32),
        name=safe(kind),
        marker=marker,
        text=texts if labelled else None,
        textposition="outside",
        cliponaxis=False,
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _add_chance(figure: go.Figure, chance: float) -> None:
    """Draw the dotted line of chance over the bars, named at its right end beyond them."""
    figure.add_hline(y=chance, line={"color": QUIET, "width": 1.5, "dash": "dot"})
    place = {"x": 1, "xref": "paper", "xanchor": "left", "y": chance, "yanchor": "middle", "xshift": 4}
    figure.add_annotation(text="chance", showarrow=False, font={"size": 12}, opacity=0.75, **place)
    figure.layout.margin.r = 56
