"""The source × target heatmap (table 5): cross-entropy, or how far from the mean of each target's sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.axes import category_axis
from backend.charts.click import clickable
from backend.charts.colourbar import score_range
from backend.charts.grid import pivot
from backend.charts.heatmap import heatmap_of
from backend.experiments import xferbench_frames
from backend.experiments.xferbench_folding import Folding
from backend.experiments.xferbench_frames import GROUPS
from pages.measurements.emergent_views import benchmark, compare_variants, printed, training
from pages.measurements.emergent_views.benchmark import Benchmark
from pages.measurements.emergent_views.explain_benchmark import CELLS
from pages.measurements.emergent_views.selection import Selection
from pages.widgets import figure
from pages.widgets.cell import open_cell

RAW = "Cross-entropy (nats a token; lower = better)"
NORMALISED = "Normalised (standard deviations; below 0 = better)"
BRACKETS = GROUPS | {"none": "None"}
"""The groups' names where a colour bar stands beside them."""
PIXELS = 540
"""What is left to the targets' names on a 1280-pixel screen."""
VALUES = 20
"""Targets beside one another whose numbers stand in their cells."""


def draw(selection: Selection) -> None:
    found = benchmark.choose(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values = st.segmented_control(
            "Values", ["Raw", "Normalised"], default="Raw", key="board_values", bind="query-params", required=True,
            help="Normalised for each target, over the sources shown: targets differ far more than sources do.",
        )  # fmt: skip
        second = compare_variants.choose(found)
        paper = st.toggle("The paper's table 5", value=True, key="board_paper", bind="query-params")
    normalised = values == "Normalised"
    second = compare_variants.scored(second)
    if found is not None:
        if second is not None:
            compare_variants.options(found, second)
        _own(found, normalised=normalised)
        if second is not None:
            _beside(second, normalised=normalised)
            compare_variants.difference(found, second)
    if paper:
        printed.matrix_figure(normalised=normalised)


def _own(found: Benchmark, *, normalised: bool) -> None:
    """One variant's cells, from which a click leads to their training."""
    data = xferbench_frames.normalised(found.cells, found.names, found.groups)
    drawn = heatmap(data, found.targets, normalised=normalised, title=f"XferBench here: {found.label}", foldings=found.foldings)
    # Empty cells are clicked too: were they not, theirs would be the click and the hover of the cell beside them.
    custom = [[[found.names[source], name] for name in found.targets.values()] for source in _order(data)["source"]]
    picked = figure.show(
        clickable(drawn, custom), name=f"XferBench cells {'normalised' if normalised else 'raw'}", data=data, card=CELLS,
        snippet=benchmark.snippet(found, "normalised(cells, names, groups)", list(found.targets)),
        alt="Cross-entropy from every source to every target", clicks=True,
    )  # fmt: skip
    st.caption(f"Click on a cell: its training curves.{found.folded}")
    if picked:
        open_cell(training.VIEW, **{training.SOURCE: str(picked[0]), training.TARGET: str(picked[1])})


def _beside(second: Benchmark, *, normalised: bool) -> None:
    """The second variant's cells, on a scale of their own."""
    data = xferbench_frames.normalised(second.cells, second.names, second.groups)
    figure.show(
        heatmap(
            data, second.targets, normalised=normalised, title=f"XferBench here: {second.label}", foldings=second.foldings
        ),
        name=f"XferBench cells {'normalised' if normalised else 'raw'}, second variant", data=data, card=CELLS,
        snippet=benchmark.snippet(second, "normalised(cells, names, groups)", list(second.targets)),
        alt="Cross-entropy from every source to every target in the second variant",
    )  # fmt: skip


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
    rows = _order(data)
    named = data[["source", "text", *(["seeds"] if "seeds" in data else [])]].rename(columns={"seeds": "n"})
    cells = pivot(
        named.assign(value=data[column]), row="source", column="text", rows=rows["source"].tolist(), columns=list(targets),
        row_labels=rows["name"].tolist(), column_labels=list(targets.values()), title=title,
        row_groups=[BRACKETS[group] for group in rows["group"]],
    )  # fmt: skip
    said = [foldings[source].text if foldings and source in foldings else "" for source in rows["source"]]
    notes = tuple(tuple("" if lacks else note for lacks in row) for note, row in zip(said, cells.missing.tolist(), strict=True))
    cells = replace(cells, notes=notes)
    most = max(float(np.nanmax(np.abs(cells.values), initial=0.1)), 0.1) if normalised else 0.0
    drawn = heatmap_of(
        cells, colour_title=NORMALISED if normalised else RAW, row_title="Pre-trained on", column_title="Tuned and scored in",
        range=(-most, most) if normalised else score_range(cells, chance=None), scale="difference" if normalised else "viridis",
        chance=None, show_values=len(targets) <= VALUES, n_title="Training seeds", form="+.2f" if normalised else ".2f",
    )  # fmt: skip
    narrow = category_axis(list(targets.values()), "", pixels=PIXELS, horizontal=True)
    return drawn.update_xaxes(tickangle=narrow["tickangle"])


def _order(data: pd.DataFrame) -> pd.DataFrame:
    """A row a source: source, name, group."""
    places: Sequence[str] = list(GROUPS)
    by = data.groupby(["source", "name", "group"], as_index=False)["normalised"].mean()
    return by.assign(place=by["group"].map(places.index)).sort_values(["place", "normalised", "name"], ignore_index=True)
