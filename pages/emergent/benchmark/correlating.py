"""XferBench scores against a statistic of the corpora that needs no training."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.emergent import frames as emergent_frames
from isogloss.backend.experiments.emergent import statistics as emergent_statistics
from isogloss.backend.experiments.emergent.meanings import MEASURES
from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench import correlations as source_correlations
from isogloss.backend.experiments.xferbench.correlations import STATISTICS
from isogloss.backend.figures.emergent import benchmark as figures
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.benchmark.selection import Benchmark
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.emergent.translation.cards import STATISTIC
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.workspace import workspaces

VIEW = "Score × statistic"
"""What the page calls this view."""


def draw(selection: Selection) -> None:
    """Draw the chosen variant's scores over a statistic of the corpora, a point a source."""
    found, _ = benchmark.choose(selection)
    if found is not None and not found.texts:  # a correlation wants every source: they are left out only where none compare
        found = found.complete()
    statistic = st.selectbox(
        "Statistic",
        list(STATISTICS),
        index=list(STATISTICS).index("entropy"),
        format_func=STATISTICS.__getitem__,
        key="board_statistic",
        bind="query-params",
        width=330,
    )
    if found is None:
        return
    kept = {entry.id for entry in emergent_library.entries(workspaces()) if emergent_statistics.are_known(entry, workspaces())}
    corpora = {key: name for key, name in found.names.items() if key in kept}
    recipe = _recipe(found, corpora, statistic)
    data = cooked.rows(recipe) if corpora else pd.DataFrame()
    if data.empty:
        st.info(
            "No corpus has both a score and this statistic, or no target is shared by all. Choose others, or compute scores.",
            icon=":material/info:",
        )
        return
    title = STATISTICS[statistic]
    name = f"XferBench against {title.partition(' (')[0]}"
    drawn = partial(
        figures.against_statistic,
        statistic=statistic,
        title=f"XferBench here: {found.label}",
        highlighted=list(found.colours),
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=name,
        card=STATISTIC,
        alt=f"XferBench scores against {title}, a point a corpus",
    )
    if lacking := len(found.names) - len(data):
        st.caption(
            f"Not drawn: {count(lacking, 'source')} without this statistic: human-language text (save it as a corpus "
            "of symbols to have it here), no pre-training, no power law to have a slope, or no meanings to mirror."
        )


def _recipe(found: Benchmark, corpora: dict[str, str], statistic: str) -> Recipe:
    """Return the recipe of the scores against the statistic of these corpora (names by ids)."""
    ids = {name: key for key, name in corpora.items()}
    measures = {"measures": argument(frames.measures(ids))} if statistic in MEASURES else {}
    against = partial(
        source_correlations.against_statistic,
        overview=argument(partial(emergent_frames.overview, argument(frames.statistics(ids)), **measures)),
        corpora=corpora,
        groups=dict(found.groups),
        statistic=statistic,
    )
    return found.read().then(against)
