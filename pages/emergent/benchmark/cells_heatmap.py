"""Sources × targets as colours: the benchmark's own cells and the printed ones, drawn alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from backend.charts.grid import pivot
from backend.charts.heatmap import heatmap_of
from backend.charts.parts.axes import category_axis
from backend.charts.parts.colourbar import score_range
from backend.experiments.sources.groups import GROUPS
from backend.experiments.xferbench.folding import Folding

RAW = "Cross-entropy (nats a token; lower = better)"
NORMALISED = "Normalised (standard deviations; below 0 = better)"
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
    """Of `xferbench_frames.normalised`; `targets` are the names of its texts, in their order.

    Sources stand group by group, within a group by the mean of their normalised values, the best first.
    """
    column = "normalised" if normalised else "value"
    rows = in_order(data)
    named = data[["source", "text", *(["seeds"] if "seeds" in data else [])]].rename(columns={"seeds": "n"})
    cells = pivot(
        named.assign(value=data[column]),
        row="source",
        column="text",
        rows=rows["source"].tolist(),
        columns=list(targets),
        row_labels=rows["name"].tolist(),
        column_labels=list(targets.values()),
        title=title,
        row_groups=[BRACKETS[group] for group in rows["group"]],
    )
    said = [foldings[source].text if foldings and source in foldings else "" for source in rows["source"]]
    notes = tuple(tuple("" if lacks else note for lacks in row) for note, row in zip(said, cells.missing.tolist(), strict=True))
    cells = replace(cells, notes=notes)
    most = max(float(np.nanmax(np.abs(cells.values), initial=0.1)), 0.1) if normalised else 0.0
    drawn = heatmap_of(
        cells,
        colour_title=NORMALISED if normalised else RAW,
        row_title="Pre-trained on",
        column_title="Tuned and scored in",
        range=(-most, most) if normalised else score_range(cells, chance=None),
        scale="difference" if normalised else "viridis",
        chance=None,
        show_values=len(targets) <= VALUES,
        n_title="Training seeds",
        form="+.2f" if normalised else ".2f",
    )
    narrow = category_axis(list(targets.values()), "", pixels=PIXELS, horizontal=True)
    return drawn.update_xaxes(tickangle=narrow["tickangle"])


def in_order(data: pd.DataFrame) -> pd.DataFrame:
    """A row a source, from the top: source, name, group, normalised (its mean)."""
    places: Sequence[str] = list(GROUPS)
    by = data.groupby(["source", "name", "group"], as_index=False)[["normalised"]].mean()
    return by.assign(place=by["group"].map(places.index)).sort_values(["place", "normalised", "name"], ignore_index=True)
