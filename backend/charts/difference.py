"""A heatmap of differences: two grids cell by cell, with why a cell has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.grid import Grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.hatch import CORRECTED, LEVEL, cross
from isogloss.backend.charts.parts.text import name_of, parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

INSIGNIFICANT = "95% interval contains 0"


def difference_heatmap(
    first: Grid,
    second: Grid,
    *,
    first_name: str,
    second_name: str,
    colour_title: str,
    row_title: str,
    column_title: str,
    title: str = "",
    first_row: str = "top",
    form: str = "+.3f",
    notes: Sequence[Sequence[str]] | None = None,
    interval: tuple[Grid, Grid] | None = None,
    corrected: Grid | None = None,
) -> go.Figure:
    """Draw first minus second, in colours centred on zero, under `title` (else the subtraction).

    Cells that either lacks are "not computed", for the reasons in `notes` [rows][columns] (else those of the two).
    `colour_title` is the difference with its unit in brackets; the function adds which of the two is higher where the
    difference is positive.

    `interval` has the ends of each difference's 95% interval: where 0 lies in it, the cell is hatched; with `corrected`, its p
    as many tests leave it, where that is 0.05 or more. The intervals of the two are not combined here: their sentences are
    often the same, and then the difference's is narrower.
    Raises `ValueError` where the two differ in rows or columns.
    """
    if (first.row_labels, first.column_labels) != (second.row_labels, second.column_labels):
        raise ValueError("Only grids with the same rows and columns can be subtracted.")
    cells = Grid(
        first.values - second.values,
        first.row_labels,
        first.column_labels,
        title=title or f"{first_name} − {second_name}",
        low=interval[0].values if interval else None,
        high=interval[1].values if interval else None,
        undefined=first.undefined,
        row_groups=first.row_groups,
        notes=tuple(map(tuple, notes)) if notes is not None else why_missing(first, first_name, second, second_name),
    )
    unit = parts_of(colour_title)[1][1:].removesuffix(")")
    found = np.abs(cells.values[np.isfinite(cells.values)])
    most = max(float(found.max(initial=0.0)), 0.01)
    figure = heatmap_of(
        cells,
        colour_title=f"{name_of(colour_title)} ({unit + '; ' if unit else ''}above 0 = {first_name} higher)",
        row_title=row_title,
        column_title=column_title,
        range=(-most, most),
        scale="difference",
        chance=None,
        show_values=True,
        first_row=first_row,
        form=form,
    )
    if corrected is not None:
        cover = cross(np.isfinite(cells.values) & ~(corrected.values < LEVEL), CORRECTED)
    elif interval is not None:
        cover = cross(np.isfinite(cells.values) & (interval[0].values <= 0) & (interval[1].values >= 0), INSIGNIFICANT)
    else:
        cover = None
    if cover is not None:
        figure.add_trace(cover)
    return figure


def why_missing(first: Grid, first_name: str, second: Grid, second_name: str) -> tuple[tuple[str, ...], ...] | None:
    """Collect the note of each missing cell of a difference from the grid that lacks it."""
    if first.notes is None and second.notes is None:
        return None
    rows, columns = first.values.shape
    notes = [[""] * columns for _ in range(rows)]
    for cells, name in ((second, second_name), (first, first_name)):
        for i, j in np.argwhere(cells.missing):
            notes[i][j] = f"{name}: {(cells.notes[i][j] if cells.notes else '') or 'not computed'}"
    return tuple(map(tuple, notes))
