"""Layers by checkpoints, as ABX and Alignment both draw them: two measures of a model beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.charts.grid import pivot
from isogloss.backend.charts.heatmap import pair_of_heatmaps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

LAYER = "Layer (0 = input embedding)"


def two_measures(
    rows: pd.DataFrame,
    *,
    by: str,
    names: Mapping[str, str],
    colour_titles: tuple[str, str],
    shared_title: str,
    layers: Sequence[int],
    columns: Mapping[str, str],
    column_title: str,
    title: str,
    shared: bool,
    fitted: bool | None,
    chance: float | None,
    n_title: str,
    range: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw both measures by layer (from below) and checkpoint: `columns` names the checkpoints in order, by their fingerprints.

    `rows` have layer, checkpoint, value, low, high, n, and in the column `by` the measure, which `names` has in order.
    `shared`: one colour scale for both, called `shared_title`; the rest as for `pair_of_heatmaps`.
    """
    left, right = (
        pivot(rows[rows[by] == measure], row="layer", column="checkpoint", rows=list(layers), columns=dict(columns), title=name)
        for measure, name in names.items()
    )
    return pair_of_heatmaps(
        left,
        right,
        colour_titles=colour_titles,
        shared_title=shared_title,
        title=title,
        row_title=LAYER,
        column_title=column_title,
        shared_scale=shared,
        fitted=fitted,
        range=range,
        chance=chance,
        show_values=True,
        n_title=n_title,
        first_row="bottom",
    )
