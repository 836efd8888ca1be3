"""Histograms of a measure, one outline a kind, over the same bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.levels import add_levels
from isogloss.backend.charts.parts.lines import legend_beside
from isogloss.backend.charts.parts.text import number, safe, wrap_title
from isogloss.backend.charts.parts.theme import DASHES, colours_of, empty, layout

PATTERNS = ("", "/", ".", "x")
"""Of the bars of each kind, so that no difference rests on colour alone."""
FORM = ".2f"

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike


def counted(
    values: Mapping[str, ArrayLike],
    edges: ArrayLike,
    *,
    x_title: str,
    y_title: str,
    chance: float | None = None,
    title: str = "",
) -> go.Figure:
    """Draw how many of each kind's `values` lie in each bin, as bars side by side, the last bin with both its ends.

    A dashed line stands at each kind's mean, which its name in the legend has with the standard deviation (n − 1); a dotted one
    at `chance`. Values that are nan are left out, and a kind without any.
    """
    at = np.asarray(edges, np.float64)
    finite = {
        kind: group_values[np.isfinite(group_values)]
        for kind, each in values.items()
        for group_values in (np.asarray(each, np.float64),)
    }
    known = {kind: group_values for kind, group_values in finite.items() if len(group_values)}
    if not known:
        return empty("There is nothing to count for this selection.", title=title)
    figure = layout(go.Figure(), height=400, title=title)
    palette = colours_of(values)
    for order, (kind, group_values) in enumerate(known.items()):
        counts, mean = np.histogram(group_values, at)[0], float(group_values.mean())
        spread = f" ± {number(group_values.std(ddof=1), FORM)}" if len(group_values) > 1 else ""
        figure.add_trace(
            go.Bar(
                x=((at[:-1] + at[1:]) / 2).astype(np.float32),
                y=counts.astype(np.float32),
                marker={"color": palette[kind], "pattern": {"shape": PATTERNS[order % len(PATTERNS)], "solidity": 0.25}},
                name=f"{safe(kind)}<br>mean {number(mean, FORM)}{spread}",
                hovertext=[
                    f"{safe(kind)}<br>{number(low, FORM)} to {number(high, FORM)}: <b>{count}</b> of {len(group_values)}"
                    for low, high, count in zip(at[:-1], at[1:], counts.tolist(), strict=True)
                ],
                hovertemplate="%{hovertext}<extra></extra>",
                showlegend=True,
            )
        )
        figure.add_vline(x=mean, line={"color": palette[kind], "dash": "dash", "width": 2.5})
    if chance is not None:
        add_levels(figure, {"chance": chance}, axis="x", form=FORM)
    figure.update_layout(barmode="group", bargap=0.12)
    legend_beside(figure)
    figure.layout.margin.t = (44 if title else 12) + 20
    figure.update_xaxes(title={"text": wrap_title(x_title, 700.0), "standoff": 10}, range=[float(at[0]), float(at[-1])])
    figure.update_yaxes(title={"text": wrap_title(y_title, 305), "standoff": 12}, rangemode="tozero", tickformat=",d")
    return figure


def distributions(
    counts: Mapping[str, Sequence[int]],
    edges: ArrayLike,
    *,
    x_title: str,
    y_title: str,
    title: str = "",
    colours: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the share of each kind's pairs in each bin, as a stepped outline; the axis ends where the last pairs do.

    `counts` gives each kind its pairs in each bin; a kind without pairs is left out. `edges` are the bins + 1 edges that all
    kinds share. `colours` has a colour for each kind. Raises ValueError where a kind has another number of bins.
    """
    at = np.asarray(edges, np.float64)
    known = {kind: np.asarray(each, np.float64) for kind, each in counts.items() if np.sum(each) > 0}
    if any(len(each) != len(at) - 1 for each in known.values()):
        raise ValueError(f"Every kind needs {len(at) - 1} bins.")
    if not known:
        return empty("There are no pairs to draw for this selection.", title=title)
    figure = layout(go.Figure(), height=420, title=title)
    palette = dict(colours or colours_of(counts))
    for order, (kind, each) in enumerate(known.items()):
        share = each / each.sum()
        texts = [
            f"{safe(kind)}<br>{low:.2f} to {high:.2f}: <b>{number(value, '.3f')}</b><br>Pairs: {pairs:,.0f}"
            for low, high, value, pairs in zip(at[:-1], at[1:], share, each, strict=True)
        ]
        figure.add_trace(
            go.Scatter(
                x=((at[:-1] + at[1:]) / 2).astype(np.float32),
                y=share.astype(np.float32),
                mode="lines",
                line={"shape": "hvh", "width": 2, "color": palette[kind], "dash": DASHES[order % len(DASHES)]},
                name=safe(kind),
                hovertext=texts,
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    used = np.flatnonzero(np.sum(list(known.values()), axis=0))
    span = (at[max(used[0] - 1, 0)], at[min(used[-1] + 2, len(at) - 1)])
    figure.update_xaxes(title={"text": wrap_title(x_title, 700.0), "standoff": 10}, range=[float(end) for end in span])
    figure.update_yaxes(title={"text": wrap_title(y_title, 325), "standoff": 12}, rangemode="tozero")
    return figure
