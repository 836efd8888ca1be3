"""The source × target heatmap (table 5): cross-entropy, or how far from the mean of each target's sources."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from backend.charts.parts.click import clickable
from backend.experiments.xferbench import frames as xferbench_frames
from backend.figures.emergent import cells as figures
from pages.emergent.benchmark import compare_variants, printed
from pages.emergent.benchmark import selection as benchmark
from pages.emergent.benchmark.cards import CELLS
from pages.emergent.benchmark.selection import Benchmark
from pages.emergent.learning import xferbench
from pages.emergent.shared.controls import segments
from pages.emergent.shared.selection import Selection
from pages.widgets.choosing.cell import open_cell
from pages.widgets.figures import figure, notebook


def draw(selection: Selection) -> None:
    """Draw the cells of the chosen variant, raw (nats) or normalised, those of a second variant, and table 5."""
    found = benchmark.choose(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values = segments(
            "Values",
            ["Raw", "Normalised"],
            "Raw",
            "board_values",
            help="Normalised for each target, over the sources shown: targets differ far more than sources do.",
        )
        second = compare_variants.choose(found)
        paper = st.toggle("The paper's table 5", value=True, key="board_paper", bind="query-params")
    normalised = values == "Normalised"
    second = compare_variants.with_scores(second)
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
    data = xferbench_frames.normalise(found.cells, found.names, found.groups)
    # Empty cells are clicked too: were they not, theirs would be the click and the hover of the cell beside them.
    custom = [[[found.names[source], name] for name in found.targets.values()] for source in figures.in_order(data)["source"]]
    picked = figure.show(
        _chart(found, normalised=normalised),
        name=f"XferBench cells {'normalised' if normalised else 'raw'}",
        data=data,
        card=CELLS,
        recipe=notebook.python(found.read(), found.named(xferbench_frames.normalise)),
        alt="Cross-entropy from every source to every target",
        clicks=lambda drawn: clickable(drawn, custom),
    )
    st.caption(f"Click on a cell: its learning curves.{found.folded}")
    if picked:
        open_cell(xferbench.VIEW, **{xferbench.SOURCE: str(picked[0]), xferbench.TARGET: str(picked[1])})


def _beside(second: Benchmark, *, normalised: bool) -> None:
    """Draw the second variant's cross-entropies, on a scale of their own."""
    data = xferbench_frames.normalise(second.cells, second.names, second.groups)
    figure.show(
        _chart(second, normalised=normalised),
        name=f"XferBench cells {'normalised' if normalised else 'raw'}, second variant",
        data=data,
        card=CELLS,
        recipe=notebook.python(second.read(), second.named(xferbench_frames.normalise)),
        alt="Cross-entropy from every source to every target in the second variant",
    )


def _chart(found: Benchmark, *, normalised: bool) -> partial[go.Figure]:
    """Make the call that draws the cells of a variant."""
    title, targets = f"XferBench here: {found.label}", dict(found.targets)
    return partial(figures.cells, targets=targets, normalised=normalised, title=title, notes=found.notes)
