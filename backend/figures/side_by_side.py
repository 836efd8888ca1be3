"""Models side by side drawn: ranks of one measure, and the differences of every two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.correlation_heatmap import numbered
from isogloss.backend.charts.grid import Grid, pivot
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.model_ranks import model_ranks
from isogloss.backend.charts.parts.hatch import cross
from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.parts.theme import empty
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

ALIKE = "p > 0.05, corrected for all differences at once"
WRITTEN = 14
"""Most models whose differences are written into the cells."""


@in_recipes
def ranks(rows: pd.DataFrame, *, measure: str, value_title: str, title: str) -> go.Figure:
    """Draw the models of one measure from the best to the worst; `rows` are of `side_by_side.ranked`."""
    return model_ranks(rows[rows["measure"] == measure], value_title=f"{value_title}, with 95% interval", title=title)


@in_recipes
def differences(rows: pd.DataFrame, *, value_title: str, title: str) -> go.Figure:
    """Draw every model less every other; hatched where they cannot be told apart. `rows` are of `side_by_side.apart`."""
    if rows.empty:
        return empty("No two models have a language in common.", title=title)
    models = list(dict.fromkeys(rows["first"]))
    cells = pivot(rows, row="first", column="second", rows=models, columns=models, title=title, square=True)
    p, corrected = (
        pivot(
            rows.assign(value=rows[name])[["first", "second", "value"]],
            row="first",
            column="second",
            rows=models,
            columns=models,
        )
        for name in ("p", "p_corrected")
    )
    most = max(float(np.nanmax(np.abs(cells.values), initial=0.0)), 1e-9)
    figure = heatmap_of(
        _with_p(cells, p, corrected, _with_other_seeds(rows)),
        colour_title=value_title,
        row_title="",
        column_title="",
        range=(-most, most),
        scale="difference",
        chance=None,
        n_title="Languages",
        show_values=len(models) <= WRITTEN,
        form="+.3f",
    )
    if (cover := cross(np.isfinite(cells.values) & ~(corrected.values <= 0.05), ALIKE)) is not None:
        figure.add_trace(cover)
    figure.layout.legend.update(x=0, xanchor="left")  # on the right are the buttons
    return numbered(figure, models)


def _with_p(cells: Grid, p: Grid, corrected: Grid, more: Mapping[tuple[str, str], str]) -> Grid:
    """Return the cells with both p of each as its note, and `more` by first and second model."""
    notes = [
        tuple(
            f"p = {number(one, '.3f')}, {number(all_, '.3f')} corrected{more.get((first, second), '')}"
            if np.isfinite(one)
            else ""
            for second, one, all_ in zip(cells.column_labels, *both, strict=True)
        )
        for first, both in zip(cells.row_labels, zip(p.values.tolist(), corrected.values.tolist(), strict=True), strict=True)
    ]
    return replace(cells, notes=tuple(notes))


def _with_other_seeds(rows: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return by first and second model what is known of their difference with other seeds."""
    known = rows[rows["seed_low"].notna()] if "seed_low" in rows else rows[:0]
    return {
        (row["first"], row["second"]): f"; 95% with other seeds: {number(row['seed_low'], '+.3f')} to "
        f"{number(row['seed_high'], '+.3f')}"
        for row in known.to_dict("records")
    }
