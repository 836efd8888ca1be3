"""Histograms of a measure, one outline a kind, over the same bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from backend.charts.parts.text import number, safe, wrap_title
from backend.charts.parts.theme import DASHES, colours_of, empty, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike


def distributions(
    counts: Mapping[str, Sequence[int]],
    edges: ArrayLike,
    *,
    x_title: str,
    y_title: str,
    title: str = "",
    colours: Mapping[str, str] | None = None,
    height: int = 420,
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
    figure = layout(go.Figure(), height=height, title=title)
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
    figure.update_xaxes(title={"text": x_title, "standoff": 10}, range=[float(end) for end in span])
    figure.update_yaxes(title={"text": wrap_title(y_title, height - 95), "standoff": 12}, rangemode="tozero")
    return figure
