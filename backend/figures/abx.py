"""ABX discrimination drawn (de Seyssel et al. 2025): heatmaps of layers, languages and pairs, and curves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.controls import add_controls
from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.grid import Grid, pivot
from isogloss.backend.charts.heatmap import pair_of_heatmaps
from isogloss.backend.charts.languages import Order, arranged, language_heatmap, names_of
from isogloss.backend.charts.parts import hatch
from isogloss.backend.charts.parts.apart import apart
from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.charts.parts.half import upper
from isogloss.backend.charts.parts.paper import add_reference
from isogloss.backend.charts.parts.theme import CHANCE
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures.collapsed import collapsed, drawn_rows
from isogloss.backend.figures.collapsed_pairs import collapsed_pairs, with_diagonal
from isogloss.backend.figures.languages import language_cells, language_table, on_own_scale
from isogloss.backend.figures.layers import two_measures
from isogloss.backend.recipe_mark import in_recipes

METRICS = {"abx_language": "Language discrimination", "abx_meaning": "Meaning discrimination"}
SHORT = {"abx_language": "LD", "abx_meaning": "MD"}
UNITS = {
    "abx_language": "Language discrimination (share of triplets; higher = languages more separable)",
    "abx_meaning": "Meaning discrimination (share of triplets; higher = translations closer)",
    "retrieval_top1": "Retrieval accuracy, top-1 (share of sentences; higher = better aligned)",
}
TITLES = METRICS | {"retrieval_top1": "Retrieval accuracy, top-1"}
NOT_CHOSEN = "not chosen"
"""What a pair's cell is called where others are looked at, computed or not."""
SHARED = "Score (share of triplets; higher = more separable)"
"""Of both measures in one colour scale."""


def chance(metric: str) -> float | None:
    """Return the score of guessing; None for retrieval, where it depends on the number of sentences."""
    return None if metric == "retrieval_top1" else CHANCE


@in_recipes
def layers_by_checkpoints(
    rows: pd.DataFrame,
    *,
    layers: Sequence[int],
    columns: Mapping[str, str],
    column_title: str,
    title: str,
    shared: bool,
    fitted: bool | None = False,
) -> go.Figure:
    """Draw both scores by layer and checkpoint (figure 4): `columns` names the checkpoints in order, by their fingerprints.

    `rows` have metric, layer, checkpoint, value, low, high, n. `shared`: one colour scale for both, from chance to 1 if not
    `fitted`.
    """
    return two_measures(
        rows,
        by="metric",
        names=METRICS,
        colour_titles=(UNITS["abx_language"], UNITS["abx_meaning"]),
        shared_title=SHARED,
        layers=layers,
        columns=columns,
        column_title=column_title,
        title=title,
        shared=shared,
        fitted=fitted,
        chance=CHANCE,
        n_title="Sentences",
    )


@in_recipes
def trends(
    rows: pd.DataFrame,
    *,
    metric: str,
    x: Literal["step", "layer"],
    scale: StepAxis,
    colours: Mapping[str, str],
    controls: Mapping[str, str] | None = None,
    value_range: tuple[float, float] | None = None,
    axis: str = "",
    panels: bool = False,
) -> go.Figure:
    """Draw a score over checkpoints or layers (figures 2 and 3), a line a model or each `line` of it, or `panels` of them.

    `rows` have model, `x`, value, low, high, n, and with `controls` (how each is dashed) a column `control`. `value_range` is
    that of figures side by side.
    """
    drawn = curves(
        rows[rows["control"] == ""] if controls else rows,
        x=x,
        axis=axis,
        value_title=UNITS[metric],
        title=TITLES[metric],
        step_scale=scale,
        colours=colours,
        value_range=value_range,
        chance=chance(metric),
        panels=panels,
        height=400,
    )
    if controls:
        add_controls(drawn, rows, x=x, step_scale=scale, colours=colours, styles=controls)
    return apart(drawn) if panels else drawn


@in_recipes
def spread(
    rows: pd.DataFrame, *, metric: str, colours: Mapping[str, str], unit: str, printed: float, printed_label: str
) -> go.Figure:
    """Draw the standard deviation over subsamples by layer, the paper's as a line."""
    drawn = curves(
        rows,
        x="layer",
        value_title=unit,
        title=f"Spread of {METRICS[metric].lower()}",
        colours=colours,
        chance=None,
        interval="pairs, least to greatest",
        height=400,
    )
    drawn.update_yaxes(rangemode="tozero")
    return add_reference(drawn, printed, label=printed_label, form=".2f")


@in_recipes
def by_language(
    rows: pd.DataFrame,
    *,
    metric: str,
    languages: Sequence[str],
    columns: Mapping[Any, str],
    column_title: str,
    order: Order,
    normalised: bool,
    model: str,
    column: str = "checkpoint",
    fitted: bool | None = False,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a score of each language by checkpoint (figure 5) or layer (`column`); `normalised`: each on its own scale.

    `opened`, `pinned`: as for `collapsed`.
    """
    name = f"{model}: {METRICS[metric].lower()}"
    cells = language_cells(rows, languages, columns, order, pinned, row="language", column=column, title=name)
    cells = collapsed(cells, languages, order, opened, bounds_of(metric), pinned, over_pairs=True)
    return language_heatmap(
        cells,
        colour_title=UNITS[metric],
        column_title=column_title,
        scaled=on_own_scale(cells, normalised),
        fitted=fitted,
    )


def ordered_pairs(
    rows: pd.DataFrame, languages: Sequence[str], order: Order, pinned: Sequence[str] = ()
) -> tuple[dict[str, str], list[str] | None]:
    """Return the languages of a matrix of pairs in their order, name by tag, and their groups."""
    meta = language_table(languages)
    clustered = order in ("clustering", "value")  # no other order asks what the scores are
    return arranged(order, _pairs(rows, "language", names_of(meta), None).values if clustered else None, meta, pinned)


@in_recipes
def pairs(
    rows: pd.DataFrame,
    *,
    languages: Sequence[str],
    order: Order,
    shared: bool,
    some: bool,
    title: str,
    fitted: bool | None = False,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw both scores of every pair of languages, each pair once. `some`: a pair that is missing was not chosen.

    `opened`, `pinned`: as for `collapsed_pairs`.

    `rows` have source, target, n, and value (`language`, `meaning`), `_low` and `_high` of both.
    """
    names, groups = ordered_pairs(rows, languages, order, pinned)
    whole = [_pairs(rows, name, names, groups) for name in ("language", "meaning")]
    if drawn_rows(languages, order, opened, pinned) is None:
        left, right = (lower_half(each, some) for each in whole)
    else:
        left, right = (with_diagonal(collapsed_pairs(each, languages, order, opened, pinned)) for each in whole)
    drawn = pair_of_heatmaps(
        left,
        right,
        colour_titles=(UNITS["abx_language"], UNITS["abx_meaning"]),
        title=title,
        row_title="",
        column_title="",
        shared_scale=shared,
        show_values=True,
        fitted=fitted,
    )
    if some:
        drawn.update_traces(name=NOT_CHOSEN, selector={"name": hatch.NAME})
    return drawn


def _pairs(rows: pd.DataFrame, name: str, names: dict[str, str], groups: list[str] | None) -> Grid:
    frame = rows.rename(columns={name: "value", f"{name}_low": "low", f"{name}_high": "high"})
    frame = frame[["source", "target", "value", "low", "high", "n"]].astype({"value": np.float64})
    return pivot(
        frame,
        rows=names,
        columns=names,
        title=f"{name.capitalize()} discrimination",
        symmetric=True,
        row_groups=groups,
    )


def lower_half(cells: Grid, some: bool = False) -> Grid:
    """Return the lower half of a symmetric grid, the rest silent, without the row and the column that it leaves empty.

    `some`: say of a missing pair that it was not chosen.
    """
    above = upper(len(cells.values))
    undefined = above if cells.undefined is None else above | cells.undefined
    values, groups = np.where(above, np.float32(np.nan), cells.values), cells.row_groups
    half = replace(
        cells,
        values=np.ascontiguousarray(values[1:, :-1]),
        row_labels=cells.row_labels[1:],
        column_labels=cells.column_labels[:-1],
        low=cells.low[1:, :-1] if cells.low is not None else None,
        high=cells.high[1:, :-1] if cells.high is not None else None,
        n=cells.n[1:, :-1] if cells.n is not None else None,
        undefined=undefined[1:, :-1],
        row_groups=groups[1:] if groups else None,
        column_groups=groups[:-1] if groups else None,
    )
    notes = tuple(tuple(NOT_CHOSEN if each else "" for each in row) for row in half.missing)
    return replace(half, notes=notes) if some else half


def in_lower_half(first: int, second: int) -> tuple[int, int]:
    """Return the row and column at which `pairs` draws the pair of two languages, by their places in its order."""
    return max(first, second) - 1, min(first, second)
