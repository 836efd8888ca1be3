"""Probes' scores drawn (de Seyssel et al. 2025, section 5): heatmaps of layers, languages, sources, errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from isogloss.backend.charts.grid import pivot
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import Order, language_heatmap, names_of
from isogloss.backend.charts.parts.colourbar import of_several
from isogloss.backend.charts.parts.framed import frame_cells
from isogloss.backend.experiments.probing import frames
from isogloss.backend.experiments.probing.spec import LEARNED, MEAN
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures.collapsed import collapsed, drawn_rows
from isogloss.backend.figures.collapsed_directions import collapsed_directions, places
from isogloss.backend.figures.languages import language_cells, language_table, on_own_scale, ordered_languages
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.figures.ordering import COLUMNS, ROWS, axes
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pandas as pd

ACCURACY, F1, CONTROL, SELECTIVITY = "probe_accuracy", "probe_f1", "control_accuracy", "selectivity"
MAJORITY, WORD_MAJORITY, LENGTH = "majority_accuracy", "word_majority_accuracy", "description_length"
COMPRESSION = "compression"
MEASURES = {
    ACCURACY: "Accuracy",
    F1: "Entity F1",
    SELECTIVITY: "Selectivity",
    CONTROL: "Control task",
    LENGTH: "Description length",
    COMPRESSION: "Compression",
}
MIXES = {MEAN: "mean", LEARNED: "mix"}
"""Rows above the layers, by the names that have room at an axis."""
TOLD = "told apart by its interval"
"""What parts a best cell from the next, in a legend."""
FIXED = dict.fromkeys((ACCURACY, F1, CONTROL), (0.0, 1.0))
"""The scores at the ends of colours that are not fitted, of the measures that have such."""


def unit_title(metric: str, unit: str) -> str:
    """Return the measure with its unit and direction, for an axis; `unit` are words, sentences or sentence pairs."""
    share = f"share of {unit}"
    read = "more of it can be read off"
    units = {
        ACCURACY: f"{share}; higher = {read}",
        F1: f"0 to 1; higher = {read}",
        SELECTIVITY: f"accuracy less the control task's, {share}; higher = less memorisation",
        CONTROL: f"{share}; higher = more memorisation",
        LENGTH: "bits; lower = easier to read off",
        COMPRESSION: "times shorter than the uniform code; higher = easier to read off",
        MAJORITY: f"{share}; higher = {read}",
    }
    return f"{MEASURES[metric]} ({units[metric]})"


def within(text: str) -> str:
    """Return a name as it is written within a sentence: `entity F1`."""
    return text[:1].lower() + text[1:]


def layer_names(rows: pd.DataFrame, layers: Sequence[int]) -> dict[str, str]:
    """Return the rows of `layers_by_checkpoints`, `layer_name` → name on the axis: the layers, and the mixes that are there."""
    there = set(rows["layer_name"])
    return {f"layer {layer}": str(layer) for layer in layers} | {mix: short for mix, short in MIXES.items() if mix in there}


@in_recipes
def layers_by_checkpoints(
    rows: pd.DataFrame,
    *,
    metric: str,
    unit: str,
    layers: Sequence[int],
    columns: Mapping[str, str],
    column_title: str,
    title: str,
    ends: tuple[float, float],
    fitted: bool | None = True,
) -> go.Figure:
    """Draw a model's score by layer and checkpoint: `columns` names the checkpoints in order, by their fingerprints.

    `rows` have layer_name, checkpoint, value, low, high, n. `ends` of the colours, where they are `fitted`, are those of all
    models beside each other; scores beyond them, computed since, move them. Else they are those of the measure (`FIXED`).
    """
    whole, is_fitted = of_several(rows["value"], ends, FIXED.get(metric), fitted)
    cells = pivot(
        rows,
        row="layer_name",
        column="checkpoint",
        rows=layer_names(rows, layers),
        columns=dict(columns),
        title=title,
    )
    return heatmap_of(
        cells,
        colour_title=unit_title(metric, unit),
        row_title=LAYER,
        column_title=column_title,
        range=whole,
        fitted=is_fitted,
        chance=None,
        show_values=True,
        n_title=f"{unit.capitalize()} at least",
        first_row="bottom",
        form=",.0f" if metric == LENGTH else ".3f",
    )


@in_recipes
def by_language(
    rows: pd.DataFrame,
    *,
    metric: str,
    unit: str,
    languages: Sequence[str],
    columns: Mapping[str, str],
    column_title: str,
    order: Order,
    normalised: bool,
    title: str,
    fitted: bool | None = True,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a score of each language by checkpoint (figure 10); `normalised`: each on its own scale.

    Its best is framed where intervals tell it from all others, and from the most frequent tag (`level`). `opened`: as for
    `collapsed`; of groups no best is framed.
    """
    at = {"row": "target", "column": "checkpoint"}
    cells = language_cells(rows, languages, columns, order, pinned, **at, title=title)
    cells = collapsed(cells, languages, order, opened, bounds_of(metric), pinned)
    drawn = language_heatmap(
        cells,
        colour_title=unit_title(metric, unit),
        column_title=column_title,
        scaled=on_own_scale(cells, normalised),
        chance=None,
        n_title=unit.capitalize(),
        fitted=fitted,
        range=None if fitted else FIXED.get(metric),
        form=",.0f" if metric == LENGTH else ".3f",
    )
    turned = {"value": -rows["value"], "low": -rows["high"], "high": -rows["low"]} if metric == LENGTH else {}
    best = frames.peaks(rows.assign(**turned), by="target")
    shown = drawn_rows(languages, order, opened, pinned)
    down = (
        list(ordered_languages(rows, languages, columns, order, pinned, **at)[0])
        if shown is None
        else [tag for _, tag in shown]
    )
    across, known = list(columns), best[best["target"].isin([tag for tag in down if tag])]
    spots = [(down.index(tag), across.index(key)) for tag, key in zip(known["target"], known["checkpoint"], strict=True)]
    which = "lowest" if metric == LENGTH else "highest"
    return frame_cells(drawn, spots, f"the language's {which} {within(MEASURES[metric])}, {TOLD}")


@in_recipes
def best_layers(
    rows: pd.DataFrame,
    *,
    metric: str,
    unit: str,
    languages: Sequence[str],
    columns: Mapping[str, str],
    column_title: str,
    depth: int,
    title: str,
    means: bool = False,
) -> go.Figure:
    """Draw the layer of each language's best score by checkpoint: `rows` have target, checkpoint, value (the layer), n.

    `means`: values are means of layers, over seeds, with their intervals.
    """
    cells = pivot(
        rows,
        row="target",
        column="checkpoint",
        rows=names_of(language_table(languages)),
        columns=dict(columns),
        title=title,
    )
    return heatmap_of(
        cells,
        colour_title=f"Best layer, 0 = input embedding, by {within(unit_title(metric, unit))}",
        row_title="Language tested in",
        column_title=column_title,
        range=(0.0, float(depth)),
        chance=None,
        show_values=True,
        n_title=unit.capitalize(),
        form=".1f" if means else ".0f",
    )


@in_recipes
def sources(
    rows: pd.DataFrame,
    *,
    metric: str,
    unit: str,
    trained: Sequence[str],
    tested: Sequence[str],
    order: str,
    own: bool,
    title: str,
    fitted: bool | None = True,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a score from every language trained on to every one tested in (figure 14).

    Each target's best source is framed where intervals tell it from all others, and from the most frequent tag (`level`).
    `own`: a target's own language counts among its sources. Colours as in `layers_by_checkpoints`. `opened`: many languages in
    an `order` by groups are collapsed, as `collapsed_directions` has it.
    """
    at = axes(order, rows, trained, tested, pinned, highest_first=True)
    cells = pivot(rows, rows=at.rows, columns=at.columns, title=title, row_groups=at.groups)
    drawn = heatmap_of(
        collapsed_directions(cells, at, order, opened),
        colour_title=unit_title(metric, unit),
        row_title=ROWS,
        column_title=COLUMNS,
        chance=None,
        show_values=True,
        range=None if fitted else FIXED.get(metric),
        fitted=fitted,
        n_title=unit.capitalize(),
        form=".2f",
    )
    best = frames.best_sources(rows, own=own)
    framed = places(best["source"], best["target"], at, order, opened)
    return frame_cells(drawn, framed, f"the target's best source, {TOLD}")


def tags_told(rows: pd.DataFrame) -> list[str]:
    """Return the tags of a confusion matrix that some word has, or was told to have."""
    there = rows[rows["count"] > 0]
    known = {*there["right"], *there["told"]}
    return [tag for tag in dict.fromkeys(rows["right"]) if tag in known]


@in_recipes
def confusion(rows: pd.DataFrame, *, unit: str, tag: str, alone: bool, title: str) -> go.Figure:
    """Draw which tags were taken for which: `rows` have right, told, share, count. `alone` leaves the right ones out."""
    tags = tags_told(rows)
    shown = rows[rows["right"] != rows["told"]] if alone else rows
    cells = pivot(
        shown.rename(columns={"share": "value", "count": "n"}),
        row="right",
        column="told",
        rows=tags,
        columns=tags,
        title=title,
        square=alone,
    )
    cells = replace(cells, undefined=cells.missing if cells.undefined is None else cells.undefined | cells.missing)
    better = "lower = fewer taken for another" if alone else "higher on the diagonal = better"
    return heatmap_of(
        cells,
        colour_title=f"Confusion (share of the {tag}'s {unit}; {better})",
        row_title=f"Gold {tag}",
        column_title="Predicted",
        range=None if alone else (0.0, 1.0),
        chance=None,
        show_values=True,
        n_title=unit.capitalize(),
        form=".2f",
    )
