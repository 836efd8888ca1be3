"""Correlations as a heatmap, those that permutation does not tell from 0 hatched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from backend.charts.heatmap import heatmap_of
from backend.charts.parts.hatch import cross
from backend.charts.parts.text import number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from backend.charts.grid import Grid

LEVEL = 0.05
"""A p below it is significant."""
INSIGNIFICANT = "p ≥ 0.05"


def correlation_heatmap(
    cells: Grid,
    p: ArrayLike,
    *,
    value_title: str,
    row_title: str,
    column_title: str,
    n_title: str,
    first_row: str = "top",
    show_values: bool = False,
) -> go.Figure:
    """Draw correlations from −1 (blue) to 1 (brown); cells whose `p` [rows, columns] is 0.05 or more are hatched.

    A missing correlation is hatched as not computed, with the note of its cell.
    """
    values = np.asarray(p, np.float64)
    notes = tuple(
        tuple(note or (f"p = {number(own, '.3f')}" if np.isfinite(own) else "") for note, own in zip(row, line, strict=True))
        for row, line in zip(cells.notes or np.full(values.shape, "").tolist(), values.tolist(), strict=True)
    )
    figure = heatmap_of(
        replace(cells, notes=notes),
        colour_title=value_title,
        row_title=row_title,
        column_title=column_title,
        range=(-1.0, 1.0),
        scale="difference",
        chance=None,
        show_values=show_values,
        n_title=n_title,
        first_row=first_row,
        form=".2f",
    )
    doubtful = np.isfinite(cells.values) & ~(values < LEVEL)
    if (cover := cross(doubtful, INSIGNIFICANT)) is not None:
        figure.add_trace(cover)
    return figure
