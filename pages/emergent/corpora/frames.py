"""The recipes of what is counted in the chosen corpora, which is counted once for everybody, while the first reader waits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.emergent import meanings as emergent_meanings
from isogloss.backend.experiments.emergent import statistics as emergent_statistics
from isogloss.backend.experiments.emergent.statistics import Shuffle, Statistics
from isogloss.backend.metrics.corpus.compositionality import Distance
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces


def recipe(selection: Selection, *steps: partial[Any]) -> Recipe:
    """Return the recipe of what `steps` make of the statistics of the chosen corpora."""
    return Recipe((statistics(selection.ids), *steps))


def statistics_of_corpora(selection: Selection) -> dict[str, Statistics]:
    """Return the statistics of every chosen corpus, by name. Raises `IsoglossError` for a corpus that cannot be read."""
    found: dict[str, Statistics] = cooked.value(statistics(selection.ids))
    return found


def statistics(ids: Mapping[str, str], shuffle: Shuffle | None = None, seed: int = 0) -> partial[dict[str, Statistics]]:
    """Make the call that gives the statistics of corpora (ids by name), or of shuffled versions, once they are counted.

    Raises `IsoglossError` for a corpus that cannot be read.
    """
    for name, corpus in ids.items():
        if (key := (corpus, shuffle, seed, *workspaces())) not in _done():
            with st.spinner(f"Counting {verbatim(name)} …", show_time=True):
                emergent_statistics.statistics(corpus, workspaces(), shuffle, seed)
            _done().add(key)
    return partial(emergent_statistics.statistics_of, corpora=dict(ids), workspaces=workspaces(), shuffle=shuffle, seed=seed)


def measures(ids: Mapping[str, str], distance: Distance = "hamming", *, normalised: bool = False) -> partial[pd.DataFrame]:
    """Make the call that gives how corpora (ids by name) mirror their meanings, where they have any, once that is computed.

    Raises `IsoglossError` for a corpus that cannot be read.
    """
    known = {entry.id: entry for entry in emergent_library.entries(workspaces()) if entry.meanings_id}
    for name, entry in ((name, known[corpus]) for name, corpus in ids.items() if corpus in known):
        if (key := (entry.id, entry.meanings_id, distance, normalised, *workspaces())) not in _done():
            with st.spinner(f"Comparing the meanings of {verbatim(name)} …", show_time=True):
                emergent_meanings.measure(entry, workspaces(), distance, normalised=normalised)
            _done().add(key)
    return partial(
        emergent_meanings.measures_of,
        corpora=dict(ids),
        workspaces=workspaces(),
        distance=distance,
        normalised=normalised,
    )


@st.cache_resource(show_spinner=False)
def _done() -> set[Hashable]:
    """What this process has counted and compared, also where that cannot be kept: each draw asks for hundreds."""
    return set()
