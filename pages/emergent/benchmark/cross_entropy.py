"""The source × target heatmap (table 5): cross-entropy, or how far from the mean of each target's sources."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.figures.emergent import cells as figures
from isogloss.pages.emergent.benchmark import compare_variants, printed
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.benchmark.cards import CELLS
from isogloss.pages.emergent.benchmark.selection import Benchmark
from isogloss.pages.emergent.learning import models
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure


def draw(selection: Selection) -> None:
    """Draw the cells of the chosen variant, raw (nats) or normalised, those of a second variant, and table 5."""
    found, options = benchmark.choose(selection)
    with options:
        values = segments(
            "Values",
            ["Raw", "Normalised"],
            "board_values",
            "Raw",
            help_="Normalised for each target, over the sources shown: targets differ far more than sources do.",
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
            _cells(second, "second variant", normalised=normalised)
            compare_variants.difference(found, second)
    if paper:
        printed.matrix_figure(normalised=normalised)


def _own(found: Benchmark, *, normalised: bool) -> None:
    """One variant's cells, from which a click leads to their training."""
    order = figures.in_order(cooked.rows(found.recipe(xferbench_frames.normalise)))["source"]
    # Empty cells are clicked too: were they not, theirs would be the click and the hover of the cell beside them.
    custom = [[[found.names[source], name] for name in found.targets.values()] for source in order]
    picked = _cells(found, normalised=normalised, clicks=lambda drawn: clickable(drawn, custom))
    st.caption(f"Click on a cell: its learning curves.{found.folded}")
    if picked:
        open_cell(models.XFERBENCH, **{models.SOURCE: str(picked[0]), models.TARGET: str(picked[1])})


def _cells(found: Benchmark, of: str = "", *, normalised: bool, **clicks: Any) -> list[Any]:
    """Draw the cross-entropies of a variant on a scale of their own; returns the cell clicked, where `clicks` has them so."""
    title, targets = f"XferBench here: {found.label}", dict(found.targets)
    drawn = partial(figures.cells, targets=targets, normalised=normalised, title=title, notes=found.notes)
    return figure.draw(
        found.recipe(xferbench_frames.normalise).with_chart(drawn),
        name=f"XferBench cells {'normalised' if normalised else 'raw'}{of and f', {of}'}",
        card=CELLS,
        alt=f"Cross-entropy from every source to every target{of and f' in the {of}'}",
        **clicks,
    )
