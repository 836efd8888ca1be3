"""Names at the ends of lines, where a legend of many would have to be searched: spread so that none covers another."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.parts.text import CHARACTER, safe, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

GAP = 16
"""Pixels from one name to the next."""
AROUND = 130
"""Pixels of a figure's height that the lines do not have."""
LONGEST = 26
"""Characters of a name."""
JOINT = " · "
"""Between the parts of a line's name."""


def name_ends(figure: go.Figure, lines: Sequence[dict[str, Any]], level: float | None = None) -> None:
    """Write each line's name at the right, joined to its last point, in place of the legend; the figure grows to hold them.

    `lines` are scatter traces (x, y, name, line's colour). The axes show all lines, and `level`.
    """
    known = [(line, np.flatnonzero(np.isfinite(line["y"]))) for line in lines]
    ends = [(line, float(line["x"][at[-1]]), float(line["y"][at[-1]])) for line, at in known if len(at)]
    figure.layout.height = max(figure.layout.height, AROUND + GAP * len(ends))
    values = np.concatenate([np.asarray(line["y"], np.float64) for line in lines] + [[np.nan if level is None else level]])
    places = np.concatenate([np.asarray(line["x"], np.float64) for line in lines])
    low, high = _padded(float(np.nanmin(values)), float(np.nanmax(values)))
    left, right = _padded(float(places.min()), float(places.max()))
    figure.layout.yaxis.range, figure.layout.xaxis.range = [low, high], [left, right]
    pixel = (high - low) / (figure.layout.height - AROUND)
    tails = spread([end for _, _, end in ends], GAP * pixel, low, high)
    names = [shorten(name, LONGEST) for name in without_common_end([unescape(str(line["name"])) for line, _, _ in ends])]
    for name, (line, x, y), tail in zip(names, ends, tails, strict=True):
        colour = line["line"]["color"]
        figure.add_annotation(
            x=x,
            y=y,
            ax=right,
            ay=tail,
            axref="x",
            ayref="y",
            text=safe(name, None),
            name=line["legendgroup"],  # whose it is: what is under the pointer stands out with its name
            xanchor="left",
            font={"size": 13, "color": colour},
            arrowcolor=colour,
            arrowwidth=1,
            arrowhead=0,
            standoff=5,
        )
    figure.update_traces(showlegend=False)
    figure.layout.margin.r = 16 + CHARACTER * max(map(len, names), default=0) * 1.1


def without_common_end(names: Sequence[str]) -> list[str]:
    """Return names without a last part that all have (`A · step2000`, `B · step2000`): it would take the room of the first."""
    ends = {name.rpartition(JOINT)[2] if JOINT in name else None for name in names}
    common = next(iter(ends)) if len(ends) == 1 and len(names) > 1 else None
    return list(names) if common is None else [name.removesuffix(JOINT + common) for name in names]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places as near to the wanted ones as a gap between every two allows, in their order, from low to high on.

    Those that would lie on one another are moved apart evenly about their mean (isotonic regression). Where not all fit, they
    stand a gap apart, from `low` on.
    """
    order = np.argsort(np.asarray(wanted, np.float64), kind="stable")
    blocks: list[list[float]] = []  # sum of places less the gaps before them, and how many
    for rank, place in enumerate(order.tolist()):
        blocks.append([wanted[place] - gap * rank, 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    bases = [total / count for total, count in blocks for _ in range(int(count))]
    most = max(high - gap * (len(bases) - 1), low)
    found = [0.0] * len(bases)
    for rank, (place, base) in enumerate(zip(order.tolist(), bases, strict=True)):
        found[place] = min(max(base, low), most) + gap * rank
    return found


def _padded(low: float, high: float) -> tuple[float, float]:
    room = 0.04 * ((high - low) or 1.0)
    return low - room, high + room
