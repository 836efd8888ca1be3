"""Panels of one figure: where each lies, its axes on one scale with the others, and its heading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.parts.text import safe, shorten, wrap_title
from isogloss.backend.charts.parts.theme import AXIS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

BESIDE = 0.03
"""Between two panels of a row, as a share of the figure's width."""
ACROSS, PANEL, LOW_PANEL = 3, 320, 240
"""Most panels in a row; the height of a row in pixels, and where there are more rows than two."""
MANY_ACROSS, SMALL_PANEL = 4, 140
"""Of many small ones."""
LINE = 18
"""Height of a line of a title in pixels."""
HEADING = 36
"""Height of a panel's heading in pixels, with the room above it."""


@dataclass(frozen=True)
class Place:
    """One panel's share of the figure: from left to right and from bottom to top, 0 to 1, and its row and column."""

    x: tuple[float, float]
    y: tuple[float, float]
    row: int
    column: int


def place_of(index: int, across: int, rows: int, between: float) -> Place:
    """Return where the panel of this number lies, row by row from the top; `between` is the share between two rows."""
    width, gap = (1 - BESIDE * (across - 1)) / across, between if rows > 1 else 0.0
    tall = (1 - gap * (rows - 1)) / rows
    row, column = divmod(index, across)
    left, top = column * (width + BESIDE), 1 - row * (tall + gap)
    return Place((left, left + width), (max(top - tall, 0.0), top), row, column)


def heading(text: str, place: Place, longest: int = 44) -> dict[str, Any]:
    """Return the annotation that stands over a panel; `text` is shown as written, of `longest` characters, never as markup."""
    found = {"text": safe(shorten(text, longest), None), "x": sum(place.x) / 2, "y": place.y[1], "font": {"size": 15}}
    return found | {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom", "showarrow": False}


def axes_of(index: int) -> dict[str, str]:
    """Return the axes that a trace of this panel lies on."""
    return {"xaxis": f"x{index + 1}", "yaxis": f"y{index + 1}"}


def in_panels(
    figure: go.Figure,
    panels: Sequence[str],
    *,
    x_title: str,
    y_title: str,
    x_range: tuple[float, float],
    y_range: tuple[float, float] | None = None,
    many: bool = False,
) -> go.Figure:
    """Give `figure`, whose traces lie on `axes_of` their panels, a grid of these, each with its heading; and return it.

    All share both scales, so that what is near in two panels is near in numbers. `x_range` are the ends of the horizontal one,
    `y_range` of the other: by default those of all that is drawn. `many` panels are small, to be seen at once.
    """
    across = 2 if len(panels) == 4 else min(MANY_ACROSS if many else ACROSS, len(panels))
    rows = -(-len(panels) // across)
    tall = SMALL_PANEL if many else PANEL if rows < 3 else LOW_PANEL
    between = (HEADING - 10 if many else HEADING + 26) / (tall * rows)
    notes, axes, y_range = [], {}, y_range or _ends(figure)
    for index, panel in enumerate(panels):
        place, number = place_of(index, across, rows, between), "" if index == 0 else str(index + 1)
        # Both ends are given: where one of two matched scales has its ends, plotly finds none for the other.
        ends = {"x": x_range, "y": y_range}
        matched = [{"matches": axis} if index else {"range": ends[axis]} for axis in ("x", "y")]
        below = index + across >= len(panels)
        axes[f"xaxis{number}"] = AXIS | {"domain": place.x, "anchor": f"y{number}", "showticklabels": below} | matched[0]
        axes[f"yaxis{number}"] = (
            AXIS | {"domain": place.y, "anchor": f"x{number}", "showticklabels": place.column == 0} | matched[1]
        )
        if place.column == 0 and place.row == (rows - 1) // 2 and not many:
            text = wrap_title(y_title, tall - 20 if rows < 3 else 2 * tall)
            axes[f"yaxis{number}"]["title"] = AXIS["title"] | {"text": text, "standoff": 12}
        notes.append(heading(panel, place, 26 if many else 44))
    notes.append(
        {"text": safe(x_title, None), "x": 0.5, "y": 0, "yshift": -26, "font": {"size": 14}, "showarrow": False}
        | {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "top"}
    )
    margin = figure.layout.margin.to_plotly_json() | {"b": 56}
    if many:  # beside all rows: one is shorter than the title
        text = wrap_title(y_title, tall * rows)
        margin["l"] = 60 + LINE * text.count("<br>")
        notes.append(
            {"text": text, "x": 0, "y": 0.5, "xshift": -42, "textangle": -90, "font": {"size": 14}, "showarrow": False}
            | {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "middle"}
        )
    changed = {"height": tall * rows + 130, "margin": margin | {"t": margin["t"] + HEADING}}
    figure.update_layout(changed | axes | {"annotations": notes})
    top = figure.layout.margin.t
    figure.layout.legend.update(orientation="h", x=1, xanchor="right", yanchor="bottom")
    figure.layout.legend.y = 1 + HEADING / (figure.layout.height - top - 56)
    return figure


def _ends(figure: go.Figure) -> tuple[float, float]:
    """Return the ends of a scale that has room for every value drawn."""
    known = [np.asarray(trace.y, np.float64) for trace in figure.data if trace.y is not None and len(trace.y)]
    values = np.concatenate([each[np.isfinite(each)] for each in known]) if known else np.zeros(0)
    if not len(values):
        return 0.0, 1.0
    least, most = float(values.min()), float(values.max())
    room = 0.06 * (most - least) or 1.0
    return least - room, most + room
