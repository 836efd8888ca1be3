"""Two checkpoints, models or corpora compared in ABX, drawn: one measure of both side by side, and the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.figures import two_sides
from isogloss.backend.figures.abx import TITLES, UNITS, chance
from isogloss.backend.figures.two_sides import Measured
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.figures.two_sides import Layout


@in_recipes
def side_by_side(
    rows: pd.DataFrame, *, metric: str, sides: tuple[str, str], layout: Layout, fitted: bool | None = False
) -> go.Figure:
    """Draw one measure of two `sides` beside each other as `two_sides` does, the colours from chance to 1 if not `fitted`."""
    return two_sides.side_by_side(rows, of=_measured(metric), sides=sides, layout=layout, fitted=fitted)


@in_recipes
def difference(rows: pd.DataFrame, *, metric: str, sides: tuple[str, str], layout: Layout) -> go.Figure:
    """Draw the first side minus the second as `two_sides` does."""
    return two_sides.difference(rows, of=_measured(metric), sides=sides, layout=layout)


def _measured(metric: str) -> Measured:
    return Measured(TITLES[metric], UNITS[metric], chance(metric))
