"""The statistics behind the figures, computed at most once a corpus and remembered by content."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from backend.boards.recipe import Recipe
from backend.experiments.emergent import statistics as emergent_statistics
from backend.experiments.emergent.statistics import Shuffle, Statistics
from pages.emergent.shared.selection import Selection
from pages.widgets.figures import notebook
from pages.widgets.words import verbatim
from pages.widgets.workspace import workspaces


def statistics_of_corpora(selection: Selection) -> dict[str, Statistics]:
    """Count the statistics of every chosen corpus, by name. Raises `IsoglossError` for a corpus that cannot be read."""
    return {name: one(entry.id, name) for name, entry in selection.corpora.items()}


def one(corpus_id: str, name: str, shuffle: Shuffle | None = None, seed: int = 0) -> Statistics:
    """Count those of one corpus, or of its shuffled version; the reader waits where they are not kept yet."""
    with st.spinner(f"Counting {verbatim(name)} …", show_time=True):
        return _statistics(corpus_id, shuffle, seed)


@st.cache_resource(show_spinner=False, max_entries=200)
def _statistics(corpus_id: str, shuffle: Shuffle | None, seed: int) -> Statistics:
    return emergent_statistics.statistics(corpus_id, workspaces(), shuffle, seed)


def colours(selection: Selection) -> dict[str, str]:
    """Return the colour of every chosen corpus, by name."""
    found = selection.colours
    return {name: found[name] for name in selection.corpora}


def statistics(selection: Selection, shuffle: Shuffle | None = None, seed: int = 0) -> partial[dict[str, Statistics]]:
    """Make the call that gives `statistics_of_corpora` in a notebook, or that of shuffled versions."""
    corpora = {name: entry.id for name, entry in selection.corpora.items()}
    return partial(emergent_statistics.statistics_of, corpora=corpora, workspaces=workspaces(), shuffle=shuffle, seed=seed)


def python(selection: Selection, *steps: partial[Any]) -> Recipe:
    """Write what `steps` make of the statistics, in Python."""
    return notebook.python(statistics(selection), *steps)
