"""What guessing gives on the data looked at, for lines and colours to be read against."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.transfer import guessing
from isogloss.backend.experiments.transfer.guessing import Guess
from isogloss.backend.experiments.transfer.spec import training
from isogloss.backend.files import digest
from isogloss.backend.store.records import RecordFile
from isogloss.pages.transfer.shared.selection import Selection
from isogloss.pages.widgets.server.keyed import BY_KEY, Keyed
from isogloss.pages.widgets.workspace import guard, workspaces


def guess_for(selection: Selection) -> Guess | None:
    """Return how often guesses are right in the runs looked at; None without a run, or where they differ in classes."""
    wanted = set(selection.runs["run"])
    files = [file for file in selection.have if file.run in wanted]
    if not files or len({file.provenance["classes"] for file in files}) > 1:
        return None
    # Runs of one setting share their data but for the source's own labels and those that are replaced.
    first = min(files, key=lambda file: (file.provenance["corruption"], file.provenance["source"] != "en", file.run))
    named = training(first.provenance)
    of_data = ("data", "corpus", "extra", "sentences", "rows", "validation_share", "draw", "source", "corruption")
    with guard():
        return _guess(Keyed(digest([named[name] for name in of_data]), first))


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_KEY)
def _guess(file: Keyed[RecordFile]) -> Guess:
    return guessing.guess_of(file.value.provenance, workspaces())


def percent(levels: Mapping[str, float]) -> dict[str, float]:
    """Return shares as percent, to a decimal."""
    return {name: round(100 * share, 1) for name, share in levels.items()}


def guess_text(levels: Mapping[str, float]) -> str:
    """Return the levels in words, such as `chance 66.7, most frequent label 62.4`."""
    return ", ".join(f"{name} {number(100 * share, '.1f')}" for name, share in levels.items())
