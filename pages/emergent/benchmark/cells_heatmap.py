"""Sources × targets as colours: the benchmark's own cells and the printed ones, drawn alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from backend.charts.grid import Grid, pivot
from backend.charts.heatmap import heatmap_of
from backend.charts.parts.axes import category_axis
from backend.charts.parts.colourbar import score_range
from backend.experiments.sources.groups import GROUPS
from backend.experiments.xferbench.folding import Folding

RAW = "Cross-entropy (nats a token; lower = better)"
NORMALISED = "Normalised (standard deviations; below 0 = better)"
ROWS, COLUMNS = "Pre-trained on", "Tuned and scored in"
BRACKETS = GROUPS | {"none": "None"}
"""The groups' names where a colour bar stands beside them."""
PIXELS = 540
"""What is left to the targets' names on a 1280-pixel screen."""
VALUES = 20
"""Targets beside one another whose numbers stand in their cells."""


def heatmap(
    data: pd.DataFrame,
    targets: Mapping[str, str],
    *,
    normalised: bool,
    title: str,
    foldings: Mapping[str, Folding] | None = None,
) -> go.Figure:
    """Draw the values of `xferbench_frames.normalise`; `targets` are the names of its texts, in their order.

    Sources stand group by group, within a group by the mean of their normalised values, the best first.
    """
    column = "normalised" if normalised else "value"
    rows = in_order(data)
    named = data[["source", "text", *(["seeds"] if "seeds" in data else [])]].rename(columns={"seeds": "n"})
    cells = pivot(
        named.assign(value=data[column]),
        row="source",
        column="text",
        rows=dict(zip(rows["source"], rows["name"], strict=True)),
        columns=targets,
        title=title,
        row_groups=[BRACKETS[group] for group in rows["group"]],
    )
    said = [foldings[source].text if foldings and source in foldings else "" for source in rows["source"]]
    notes = tuple(tuple("" if lacks else note for lacks in row) for note, row in zip(said, cells.missing.tolist(), strict=True))
    cells = replace(cells, notes=notes)
    more: dict[str, Any] = {"show_values": len(targets) <= VALUES, "n_title": "Training seeds"}
    if normalised:
        drawn = about_zero(cells, NORMALISED, ROWS, COLUMNS, **more)
    else:
        more |= {"range": score_range(cells, chance=None), "chance": None, "form": ".2f"}
        drawn = heatmap_of(cells, colour_title=RAW, row_title=ROWS, column_title=COLUMNS, **more)
    narrow = category_axis(list(targets.values()), "", pixels=PIXELS, horizontal=True)
    return drawn.update_xaxes(tickangle=narrow["tickangle"])


def about_zero(cells: Grid, colour_title: str, row_title: str, column_title: str, **more: Any) -> go.Figure:
    """Draw normalised values, or differences of them, in colours symmetric about 0: to the largest, and at least to ±0.1."""
    most = float(np.nanmax(np.abs(cells.values), initial=0.1))
    more |= {"range": (-most, most), "scale": "difference", "chance": None, "form": "+.2f"}
    return heatmap_of(cells, colour_title=colour_title, row_title=row_title, column_title=column_title, **more)


def in_order(data: pd.DataFrame) -> pd.DataFrame:
    """Order the sources, a row each from the top: source, name, group, normalised (its mean)."""
    places: Sequence[str] = list(GROUPS)
    by = data.groupby(["source", "name", "group"], as_index=False)[["normalised"]].mean()
    return by.assign(place=by["group"].map(places.index)).sort_values(["place", "normalised", "name"], ignore_index=True)
