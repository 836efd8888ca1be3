"""Two checkpoints, models or corpora compared, drawn: one measure of both side by side, and the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from backend.charts.grid import pivot
from backend.charts.heatmap import difference_heatmap, pair_of_heatmaps
from backend.experiments.abx.frames import SIDE
from backend.figures.abx import SHARES, TITLES, UNITS, chance

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

    from backend.charts.grid import Grid


@dataclass(frozen=True)
class Layout:
    """The cells of both sides: what lies down and across, in order, with what each is called."""

    row: str
    """The column of the rows' frame that says which row of the grid a score is in."""
    column: str
    rows: Mapping[Any, str]
    columns: Mapping[Any, str]
    row_title: str
    column_title: str
    first_row: Literal["top", "bottom"] = "bottom"


def side_by_side(rows: pd.DataFrame, *, metric: str, sides: tuple[str, str], layout: Layout) -> go.Figure:
    """Draw one measure of two `sides` beside each other, in one colour scale.

    `rows` have side, value, low, high, n, and the layout's `row` and `column`.
    """
    left, right = (_grid(rows[rows[SIDE] == name], "value", layout, name) for name in sides)
    return pair_of_heatmaps(
        left,
        right,
        colour_titles=(UNITS[metric], UNITS[metric]),
        row_title=layout.row_title,
        column_title=layout.column_title,
        first_row=layout.first_row,
        chance=chance(metric),
    )


def difference(rows: pd.DataFrame, *, metric: str, sides: tuple[str, str], layout: Layout) -> go.Figure:
    """Draw the first side minus the second: above 0 (brown) where the first is higher, below (blue) where the second is.

    `rows` are those of `abx_frames.difference`: a column a side, and the layout's `row` and `column`.
    """
    first, second = sides
    return difference_heatmap(
        _grid(rows, first, layout),
        _grid(rows, second, layout),
        first_name=first,
        second_name=second,
        colour_title=f"Difference in {TITLES[metric].lower()} ({SHARES[metric]})",
        row_title=layout.row_title,
        column_title=layout.column_title,
        title=f"Difference: {first} − {second}",
        first_row=layout.first_row,
    )


def _grid(rows: pd.DataFrame, value: str, layout: Layout, title: str = "") -> Grid:
    keys = [layout.row, layout.column]
    scores = rows if value == "value" else rows[keys].assign(value=rows[value])
    return pivot(scores, row=layout.row, column=layout.column, rows=layout.rows, columns=layout.columns, title=title)
