"""The benchmark by writing system and by its type (tables 7 and 8): one's own means, and the printed ones below."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.grid import Grid, pivot
from backend.experiments.sources.groups import GROUPS
from backend.experiments.words import count
from backend.experiments.xferbench import writing as xferbench_writing
from backend.experiments.xferbench.writing import By
from pages.emergent.benchmark import printed
from pages.emergent.benchmark import selection as benchmark
from pages.emergent.benchmark.cards import WRITING
from pages.emergent.benchmark.cells_heatmap import about_zero
from pages.emergent.benchmark.selection import Benchmark
from pages.emergent.shared.controls import segments
from pages.emergent.shared.selection import Selection
from pages.widgets import figure, notebook

BY: dict[str, By] = {"Writing system": "writing system", "Type": "type"}
VALUE = "Mean normalised (standard deviations; below 0 = better)"


def draw(selection: Selection) -> None:
    """Draw the mean normalised scores by writing system or its type of sources and targets, and table 7 or 8."""
    found = benchmark.choose(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = BY[segments("Group by", list(BY), "Writing system", "board_by")]
        which = segments(
            "Sources taken",
            ["Human", "All"],
            "Human",
            "board_taken",
            help="Human as in the paper. The others have no writing system: they are grouped by what they are.",
        )
        table = "table 7" if by == "writing system" else "table 8"
        paper = st.toggle(f"The paper's {table}", value=True, key="board_paper", bind="query-params")
    if found is not None:
        _own(found, by, human=which != "All")
    if paper:
        printed.writing_figure(table)
        if by == "writing system":
            st.caption("Chinese is called Han here, and Hangul Korean; the other names are the same.")


def _own(found: Benchmark, by: By, *, human: bool) -> None:
    averaged = partial(
        xferbench_writing.by_writing, groups=dict(found.groups), languages=dict(found.languages), by=by, human=human
    )
    data = averaged(found.cells)
    if data.empty:
        st.info(_why(found, human=human), icon=":material/info:")
        return
    named = "type of writing" if by == "type" else by
    figure.show(
        heatmap(data, title=f"XferBench here by {named}: {found.label}"),
        name=f"XferBench by {named}",
        data=data,
        card=WRITING,
        snippet=notebook.python(found.read(), averaged),
        alt=f"Mean normalised cross-entropy from every {named} of the sources to every one of the targets",
    )
    st.caption(_caption(found, human=human))


def _why(found: Benchmark, *, human: bool) -> str:
    """Return what keeps the means from being there."""
    sources = [key for key, group in found.groups.items() if group == "human" or not human]
    if len(sources) < 2:
        if not human:
            return "Means are normalised over the sources, which takes two. Choose or compute more."
        known = count(len(sources), "is", "are")
        return (
            f"Means are normalised over the human sources, which takes two; of those chosen, {known} human. Compute "
            "more above, or take all sources."
        )
    return "There is no target that all these sources were scored in. Choose fewer sources, or compute the rest above."


def _caption(found: Benchmark, *, human: bool) -> str:
    used = xferbench_writing.comparable(found.cells, found.groups, human=human)
    over = count(used["source"].nunique(), "human source" if human else "source")
    lacking = len(found.targets) - used.groupby(["corpus", "target"]).ngroups
    left = f" Left out, since not every source has it: {count(lacking, 'target')}." if lacking else ""
    return f"Normalised for each target over {over}.{left} Point at a cell for its languages."


def heatmap(data: pd.DataFrame, *, title: str) -> go.Figure:
    """Draw the means of `xferbench_writing.by_writing`: groups of sources down, of targets across."""
    return about_zero(grid(data, title), VALUE, "Sources", "Targets", show_values=True, n_title="Cells averaged")


def grid(data: pd.DataFrame, title: str) -> Grid:
    """Lay out the cells, each with its languages in the hover; what has no writing system stands below what has."""
    others = list(GROUPS.values())
    rows = sorted(set(data["source"]), key=lambda name: (others.index(name) if name in others else -1, name))
    cells = pivot(data, rows=rows, title=title)
    members = {(row["source"], row["target"]): _members(row["sources"], row["targets"]) for row in data.to_dict("records")}
    notes = tuple(tuple(members[row, column] for column in cells.column_labels) for row in cells.row_labels)
    return replace(cells, notes=notes)


def _members(sources: str, targets: str) -> str:
    return f"{f'From {sources} ' if sources else ''}to {targets}".strip()
