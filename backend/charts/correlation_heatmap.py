"""Correlations as a heatmap, those that permutation does not tell from 0 hatched."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import order_languages
from isogloss.backend.charts.parts.hatch import CORRECTED, LEVEL, cross
from isogloss.backend.charts.parts.text import number, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from isogloss.backend.charts.grid import Grid

INSIGNIFICANT = "p ≥ 0.05"
CHARACTERS = 40
"""Of a line of a measure's name."""
ROW, LINE, AROUND = 24, 17, 100
"""Pixels that a row needs, a line of its name, and what stands around the rows."""


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
    corrected: ArrayLike | None = None,
) -> go.Figure:
    """Draw correlations from −1 (blue) to 1 (brown); cells whose `p` [rows, columns] is 0.05 or more are hatched.

    `corrected` is p adjusted for many tests [rows, columns]: it decides in the place of p, and the hover has both. A missing
    correlation is hatched as not computed, with the note of its cell.
    """
    values = np.asarray(p, np.float64)
    tested = values if corrected is None else np.asarray(corrected, np.float64)
    notes = tuple(
        tuple(note or _p(*both, corrected=corrected is not None) for note, *both in zip(*lines, strict=True))
        for lines in zip(cells.notes or np.full(values.shape, "").tolist(), values.tolist(), tested.tolist(), strict=True)
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
    doubtful = np.isfinite(cells.values) & ~(tested < LEVEL)
    if (cover := cross(doubtful, INSIGNIFICANT if corrected is None else CORRECTED)) is not None:
        figure.add_trace(cover)
    figure.layout.legend.update(x=0, xanchor="left")  # on the right are the buttons
    return figure


def in_clusters(rows: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the measures of `names` that `rows` (x, y, value) have, each beside those that go with the same others."""
    there = set(rows["x"])
    names = [name for name in names if name in there]
    if not names:
        return []
    wide = rows.pivot(index="x", columns="y", values="value").reindex(index=names, columns=names)
    square = np.where(np.eye(len(names)) > 0, 1.0, wide.to_numpy())
    return [names[i] for i in order_languages("clustering", square, pd.DataFrame({"name": names}))]


def numbered(figure: go.Figure, names: Sequence[str]) -> go.Figure:
    """Name the rows of a square heatmap whole, in as many lines as they need, with the numbers that stand under its columns."""
    lines = [textwrap.wrap(f"{place} {name}", CHARACTERS) for place, name in enumerate(names, 1)]
    places = list(range(len(names)))
    figure.layout.yaxis.update(tickvals=places, ticktext=["<br>".join(safe(line) for line in own) for own in lines])
    figure.layout.xaxis.update(tickvals=places, ticktext=[str(place + 1) for place in places], tickangle=0)
    figure.layout.height = max(figure.layout.height, AROUND + len(names) * max(ROW, LINE * max(map(len, lines))))
    return figure


def _p(plain: float, adjusted: float, *, corrected: bool) -> str:
    """Say a p, and what many tests leave of it."""
    if not np.isfinite(plain):
        return ""
    return f"p = {number(plain, '.3f')}" + (f", {number(adjusted, '.3f')} after Benjamini–Hochberg" if corrected else "")
