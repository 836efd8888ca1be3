"""Layer × checkpoint heatmaps of both ABX scores (de Seyssel et al. 2025, figure 4); a click on a cell opens its pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.boards.cards import BOTH
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import abx as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.runs import watched


def of_group(
    selection: Selection,
    group: Group,
    shared: bool,
    *,
    fitted: bool | None = None,
    clicks: bool = True,
    beside: Mapping[str, str] | None = None,
    steps: Sequence[partial[pd.DataFrame]] = (),
) -> pd.DataFrame | None:
    """Both scores of one model, or the means of its seeds; with `clicks`, a click on a cell opens its pairs of languages.

    The colours are `fitted` or not. `beside` are further columns, which `steps` give rows, and their names. Returns the rows,
    None where nothing is drawn.
    """
    model, checkpoints = group.first, group.columns(selection.checkpoints)
    layers = selection.layers_of(model)
    of = group.of(selection.computed)
    if not checkpoints or not layers:
        return None
    drawn = partial(
        figures.layers_by_checkpoints,
        layers=layers,
        columns=named_checkpoints(checkpoints, selection.by) | dict(beside or {}),
        column_title=checkpoint_axis(checkpoints, selection.by),
        title=group.name,
        shared=shared,
        fitted=fitted,
    )
    nothing: list[list[str | int] | None] = [None] * len(beside or {})
    custom = [[*([model.name, checkpoint.label, layer] for checkpoint in checkpoints), *nothing] for layer in layers]

    def on_page(drawn: go.Figure) -> go.Figure:
        marked = watched.marked(drawn, model, checkpoints)
        return clickable(marked, custom, custom) if clicks else marked

    only = partial(rows_with, metric=list(figures.METRICS), layer=list(selection.layers))
    means = group.steps(checkpoints, of, bounds_of("abx_meaning"))
    recipe = recipes.scores(selection, abx_queries.grid, only, *means, *steps, of=of)
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"ABX {group.name} layers by checkpoints",
        card=BOTH,
        alt=f"Language and meaning discrimination of {group.name} by layer and checkpoint",
        clicks=on_page if clicks or watched.newest(model) else False,
    )
    if picked:
        name, checkpoint, layer = picked
        open_cell("Pairs", pair_model=name, pair_checkpoint=checkpoint, pair_layer=int(layer))
    return cooked.rows(recipe)
