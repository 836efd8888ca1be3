"""XferBench scores against a statistic of the corpora that needs no training."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.corpora.emergent import library as emergent_library
from backend.experiments.emergent import frames as emergent_frames
from backend.experiments.emergent import statistics as emergent_statistics
from backend.experiments.words import count
from backend.experiments.xferbench import correlations as source_correlations
from backend.experiments.xferbench.correlations import STATISTICS
from backend.figures.emergent import benchmark as figures
from pages.emergent.benchmark import selection as benchmark
from pages.emergent.benchmark.selection import Benchmark
from pages.emergent.corpora import frames
from pages.emergent.shared.selection import Selection
from pages.emergent.translation.cards import STATISTIC
from pages.widgets.figures import figure, notebook
from pages.widgets.workspace import workspaces

VIEW = "Score × statistic"
"""What the page calls this view."""


def draw(selection: Selection) -> None:
    """Draw the chosen variant's scores over a statistic of the corpora, a point a source."""
    found = benchmark.choose(selection)
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
    data = _data(found, corpora, statistic)
    if data.empty:
        st.info(
            "No corpus has both a score and this statistic, or no target is shared by all. Choose others, or compute scores.",
            icon=":material/info:",
        )
        return
    title = STATISTICS[statistic]
    name = f"XferBench against {title.partition(' (')[0]}"
    figure.show(
        partial(
            figures.against_statistic,
            statistic=statistic,
            title=f"XferBench here: {found.label}",
            highlighted=list(found.colours),
        ),
        name=name,
        data=data,
        card=STATISTIC,
        recipe=_python(found, corpora, statistic),
        alt=f"XferBench scores against {title}, a point a corpus",
    )
    if lacking := len(found.names) - len(data):
        st.caption(
            f"Not drawn: {count(lacking, 'source')} without this statistic: human-language text (save it as a corpus "
            "of symbols to have it here), no pre-training, or no power law to have a slope."
        )


def _data(found: Benchmark, corpora: dict[str, str], statistic: str) -> pd.DataFrame:
    statistics = {name: frames.one(key, name) for key, name in corpora.items()}
    columns = pd.DataFrame({"corpus": [], statistic: []})
    overview = emergent_frames.overview(statistics) if statistics else columns
    return source_correlations.against_statistic(found.cells, overview, corpora, found.groups, statistic)


def _python(found: Benchmark, corpora: dict[str, str], statistic: str) -> Recipe:
    ids = {name: key for key, name in corpora.items()}
    counted = partial(emergent_statistics.statistics_of, corpora=ids, workspaces=workspaces())
    overview = partial(emergent_frames.overview, notebook.argument(counted))
    against = partial(
        source_correlations.against_statistic,
        overview=notebook.argument(overview),
        corpora=corpora,
        groups=dict(found.groups),
        statistic=statistic,
    )
    return notebook.python(found.read(), against)
