"""The benchmark by writing system and by its type (tables 7 and 8): one's own means, and the printed ones below."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench import writing as xferbench_writing
from isogloss.backend.experiments.xferbench.writing import By
from isogloss.backend.figures.emergent import cells as figures
from isogloss.pages.emergent.benchmark import printed
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.benchmark.cards import WRITING
from isogloss.pages.emergent.benchmark.selection import Benchmark
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure

BY: dict[str, By] = {"Writing system": "writing system", "Type": "type"}


def draw(selection: Selection) -> None:
    """Draw the mean normalised scores by writing system or its type of sources and targets, and table 7 or 8."""
    scores, options = benchmark.choose(selection)
    with options:
        by = BY[segments("Group by", list(BY), "board_by", "Writing system")]
        which = segments(
            "Sources taken",
            ["Human", "All"],
            "board_taken",
            "Human",
            help_="Human as in the paper. The others have no writing system: they are grouped by what they are.",
        )
        table = "table 7" if by == "writing system" else "table 8"
        paper = st.toggle(f"The paper's {table}", value=True, key="board_paper", bind="query-params")
    if scores is not None:
        _own(scores, by, human=which != "All")
    if paper:
        printed.writing_figure(table)
        if by == "writing system":
            st.caption("Chinese is called Han here, and Hangul Korean; the other names are the same.")


def _own(scores: Benchmark, by: By, *, human: bool) -> None:
    averaged = partial(
        xferbench_writing.by_writing, groups=dict(scores.groups), languages=dict(scores.languages), by=by, human=human
    )
    recipe = scores.read().then(averaged)
    if cooked.rows(recipe).empty:
        st.info(_why(scores, human=human), icon=":material/info:")
        return
    named = "type of writing" if by == "type" else by
    figure.draw(
        recipe.with_chart(partial(figures.writing, title=f"XferBench here by {named}: {scores.label}")),
        name=f"XferBench by {named}",
        card=WRITING,
        alt=f"Mean normalised cross-entropy from every {named} of the sources to every one of the targets",
    )
    st.caption(_caption(scores, human=human))


def _why(found: Benchmark, *, human: bool) -> str:
    """Return what keeps the means from being there."""
    sources = [key for key, group in found.groups.items() if group == "human" or not human]
    if len(sources) < 2:
        if not human:
            return "Means are normalised over the sources, which takes two. Choose or compute more."
        known = count(len(sources), "is", "are")
        return (
            f"Means are normalised over the human sources, which takes two; of those chosen, {known} human. Train "
            "more above, or take all sources."
        )
    return "There is no target that all these sources were scored in. Choose fewer sources, or compute the rest above."


def _caption(found: Benchmark, *, human: bool) -> str:
    used = xferbench_writing.comparable(found.cells, found.groups, human=human)
    over = count(used["source"].nunique(), "human source" if human else "source")
    lacking = len(found.targets) - used.groupby(["corpus", "target"]).ngroups
    left = f" Left out, since not every source has it: {count(lacking, 'target')}." if lacking else ""
    return f"Normalised for each target over {over}.{left} Point at a cell for its languages."
