"""XferBench's cells drawn (Boldt & Mortensen 2024, tables 5, 7 and 8): sources down, targets across, values as colours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.charts.grid import Grid, pivot
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.axes import category_axis
from isogloss.backend.charts.parts.colourbar import score_range
from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

RAW = "Cross-entropy (nats per token; lower = better)"
NORMALISED = "Normalised (standard deviations; below 0 = better)"
DIFFERENCE = "Difference (standard deviations; below 0 = better in the first)"
MEANS = "Mean normalised (standard deviations; below 0 = better)"
PRINTED_MEANS = "Mean normalised score (standard deviations; below 0 = better)"
ROWS, COLUMNS = "Pre-trained on", "Tuned and scored in"
BRACKETS = GROUPS | {"none": "None"}
"""The groups' names where a colour bar stands beside them."""
PIXELS = 540
"""What is left to the targets' names on a 1280-pixel screen."""
VALUES = 20
"""Targets beside one another whose numbers stand in their cells."""


@in_recipes
def cells(
    rows: pd.DataFrame,
    *,
    targets: Mapping[str, str],
    normalised: bool,
    title: str,
    notes: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the values of `xferbench_frames.normalise`; `targets` are the names of its texts, in their order.

    Sources stand group by group, within a group by the mean of their normalised values, the best first. `notes` end the hover
    of a source's cells, by its key.
    """
    column = "normalised" if normalised else "value"
    ordered = in_order(rows)
    named = rows[["source", "text", *(["seeds"] if "seeds" in rows else [])]].rename(columns={"seeds": "n"})
    values = pivot(
        named.assign(value=rows[column]),
        row="source",
        column="text",
        rows=dict(zip(ordered["source"], ordered["name"], strict=True)),
        columns=targets,
        title=title,
        row_groups=[BRACKETS[group] for group in ordered["group"]],
    )
    said = [(notes or {}).get(source, "") for source in ordered["source"]]
    lacking = values.missing.tolist()
    values = replace(
        values, notes=tuple(tuple("" if lacks else note for lacks in row) for note, row in zip(said, lacking, strict=True))
    )
    more: dict[str, Any] = {"show_values": len(targets) <= VALUES, "n_title": "Training seeds"}
    if normalised:
        drawn = _about_zero(values, NORMALISED, ROWS, COLUMNS, **more)
    else:
        more |= {"range": score_range(values, chance=None), "chance": None, "form": ".2f"}
        drawn = heatmap_of(values, colour_title=RAW, row_title=ROWS, column_title=COLUMNS, **more)
    narrow = category_axis(list(targets.values()), "", pixels=PIXELS, horizontal=True)
    return drawn.update_xaxes(tickangle=narrow.get("tickangle"))


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Order the sources, a row each from the top: source, name, group, normalised (its mean)."""
    places: Sequence[str] = list(GROUPS)
    by = rows.groupby(["source", "name", "group"], as_index=False)[["normalised"]].mean()
    return by.assign(place=by["group"].map(places.index)).sort_values(["place", "normalised", "name"], ignore_index=True)


@in_recipes
def difference(rows: pd.DataFrame, *, targets: Mapping[str, str], title: str) -> go.Figure:
    """Draw the differences of `xferbench_compare.cells`, the first variant minus the second; `targets` as in `cells`."""
    order = list(GROUPS)
    sources = rows.drop_duplicates("source").assign(place=lambda frame: frame["group"].map(order.index))
    sources = sources.sort_values(["place", "name"], ignore_index=True)
    there = set(rows["text"])
    columns = {text: name for text, name in targets.items() if text in there}
    differences = pivot(
        rows.assign(value=rows["difference"]),
        row="source",
        column="text",
        rows=dict(zip(sources["source"], sources["name"], strict=True)),
        columns=columns,
        title=title,
    )
    return _about_zero(differences, DIFFERENCE, ROWS, COLUMNS, show_values=len(columns) <= VALUES)


@in_recipes
def writing(rows: pd.DataFrame, *, title: str) -> go.Figure:
    """Draw the means of `xferbench_writing.by_writing`: groups of sources down, of targets across."""
    return _about_zero(_by_writing(rows, title), MEANS, "Sources", "Targets", show_values=True, n_title="Cells averaged")


def _by_writing(rows: pd.DataFrame, title: str) -> Grid:
    """Lay out the cells, each with its languages in the hover; what has no writing system stands below what has."""
    others = list(GROUPS.values())
    sources = sorted(set(rows["source"]), key=lambda name: (others.index(name) if name in others else -1, name))
    found = pivot(rows, rows=sources, title=title)
    members = {(row["source"], row["target"]): _members(row["sources"], row["targets"]) for row in rows.to_dict("records")}
    notes = tuple(tuple(members[row, column] for column in found.column_labels) for row in found.row_labels)
    return replace(found, notes=notes)


def _members(sources: str, targets: str) -> str:
    return f"{f'From {sources} ' if sources else ''}to {targets}".strip()


@in_recipes
def printed_writing(rows: pd.DataFrame, *, title: str) -> go.Figure:
    """Draw a printed table of means (`published.writing_systems`), in its order."""
    sources, targets = (list(dict.fromkeys(rows[name])) for name in ("source", "target"))
    found = pivot(rows, rows=sources, columns=targets, title=title)
    return _about_zero(found, PRINTED_MEANS, "Sources", "Targets", show_values=True)


def _about_zero(found: Grid, colour_title: str, row_title: str, column_title: str, **more: Any) -> go.Figure:
    """Draw normalised values, or differences of them, in colours symmetric about 0: to the largest, and at least to ±0.1."""
    most = float(np.nanmax(np.abs(found.values), initial=0.1))
    more |= {"range": (-most, most), "scale": "difference", "chance": None, "form": "+.2f"}
    return heatmap_of(found, colour_title=colour_title, row_title=row_title, column_title=column_title, **more)
