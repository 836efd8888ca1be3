"""Geometry of sentence vectors drawn: a measure by layer and checkpoint, as curves, by language, and of every pair."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.grid import pivot
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import Order, arranged, language_heatmap, names_of
from isogloss.backend.charts.parts.apart import apart
from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.charts.parts.colourbar import of_several
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.figures.collapsed import collapsed
from isogloss.backend.figures.collapsed_pairs import collapsed_pairs
from isogloss.backend.figures.languages import language_cells, language_table, on_own_scale
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.recipe_mark import in_recipes


def form_of(metric: str) -> str:
    """Return how a number of a measure is written: one of tens of dimensions needs fewer places than a share."""
    return ".1f" if metric == "effective_rank" else ".2f" if metric in ("hubness", "spectrum_entropy", "sink_ratio") else ".3f"


def whole_scale(metric: str, rows: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of a measure's colours: its own, or, without bounds, those of the numbers shown."""
    if (ends := KINDS[metric].range) is not None:
        return ends
    values = rows["value"].astype(float)
    return (float(values.min()), float(values.max())) if values.notna().any() else (0.0, 1.0)


@in_recipes
def layers_by_checkpoints(
    rows: pd.DataFrame,
    *,
    metric: str,
    layers: Sequence[int],
    columns: Mapping[str, str],
    column_title: str,
    title: str,
    ends: tuple[float, float] | None = None,
    fitted: bool | None = None,
) -> go.Figure:
    """Draw a measure by layer (from below) and checkpoint: `columns` names the checkpoints in order, by their fingerprints.

    `rows` have metric, layer, checkpoint, value, low, high, n. `ends` are the scores of all models beside each other.
    """
    measure, whole = KINDS[metric].measure, whole_scale(metric, rows)
    if ends is not None:
        whole, fitted = of_several(rows["value"], ends, KINDS[metric].range, fitted)
    cells = pivot(
        rows,
        row="layer",
        column="checkpoint",
        rows=list(layers),
        columns=dict(columns),
        title=f"{title}: {measure.title}",
    )
    return heatmap_of(
        cells,
        colour_title=measure.axis,
        row_title=LAYER,
        column_title=column_title,
        range=whole,
        chance=None,
        show_values=True,
        first_row="bottom",
        form=form_of(metric),
        fitted=fitted,
    )


@in_recipes
def trends(
    rows: pd.DataFrame,
    *,
    metric: str,
    x: Literal["step", "layer"],
    scale: StepAxis,
    colours: Mapping[str, str],
    axis: str = "",
    panels: bool = False,
) -> go.Figure:
    """Draw a measure over checkpoints or layers, a line a model or each `line` of it, or `panels` of them.

    `rows` have model, `x`, value, low, high, n.
    """
    measure = KINDS[metric].measure
    drawn = curves(
        rows,
        x=x,
        axis=axis,
        value_title=measure.axis,
        title=measure.title,
        step_scale=scale,
        colours=colours,
        chance=None,
        panels=panels,
        height=440,
    )
    return apart(drawn) if panels else drawn


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
    title: str,
    column: str = "checkpoint",
    fitted: bool | None = None,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a measure of each language (of a pair's: the mean over its pairs) by checkpoint or layer (`column`).

    `opened`, `pinned`: as for `collapsed`.
    """
    measure, over_pairs = KINDS[metric].measure, KINDS[metric].of == "pair"
    cells = language_cells(
        rows, languages, columns, order, pinned, row="language", column=column, title=f"{title}: {measure.title}"
    )
    cells = collapsed(cells, languages, order, opened, measure.bounds, pinned, over_pairs=over_pairs)
    return language_heatmap(
        cells,
        colour_title=measure.axis,
        column_title=column_title,
        scaled=on_own_scale(cells, normalised),
        chance=None,
        range=whole_scale(metric, rows),
        fitted=fitted,
        form=form_of(metric),
    )


@in_recipes
def pairs(
    rows: pd.DataFrame,
    *,
    metric: str,
    languages: Sequence[str],
    order: Order,
    title: str,
    fitted: bool | None = None,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a measure of every pair of languages: source, target, value, low, high, n; both halves are the same.

    `opened`, `pinned`: as for `collapsed_pairs`.
    """
    meta, measure = language_table(languages), KINDS[metric].measure
    names, groups = arranged(
        order, pivot(rows, rows=names_of(meta), columns=names_of(meta), symmetric=True).values, meta, pinned
    )
    cells = pivot(rows, rows=names, columns=names, title=f"{title}: {measure.title}", symmetric=True, row_groups=groups)
    return heatmap_of(
        collapsed_pairs(cells, languages, order, opened, pinned),
        colour_title=measure.axis,
        row_title="",
        column_title="",
        range=whole_scale(metric, rows),
        chance=None,
        show_values=True,
        form=form_of(metric),
        fitted=fitted,
    )
