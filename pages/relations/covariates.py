"""Numbers of languages that people bring: a CSV dropped, named and kept, and what is kept already."""

from __future__ import annotations

import streamlit as st

from backend.corpora.covariates import library
from backend.corpora.covariates.library import CovariatesEntry
from backend.corpora.covariates.reader import Covariates, read
from backend.corpora.shared.inputs import stem
from backend.errors import IsoglossError
from backend.experiments.words import count
from backend.settings import settings
from pages.widgets import notes
from pages.widgets.words import plain
from pages.widgets.workspace import workspaces

DROPS = "covariates-drops"
"""Session state: how many tables were kept; part of the uploader's key, so that it is empty for the next."""


def draw() -> None:
    """Draw the uploader and the kept tables, in an expander that does nothing while it is closed."""
    with st.expander("Covariates of languages", icon=":material/table_chart:", on_change="rerun", key="covariates") as opened:
        if not opened.open:
            return
        st.caption(
            "A CSV with a column `language` and columns of numbers, such as speakers or words of training text. Each "
            "column can then be chosen as a measure of languages, and of the source or the target of a pair."
        )
        dropped = st.file_uploader("One table", type=["csv", "tsv", "txt"], key=f"drop-{st.session_state.get(DROPS, 0)}")
        if dropped is not None:
            try:
                _review(read(dropped.getvalue(), dropped.name), stem(dropped.name))
            except IsoglossError as error:
                st.error(plain(str(error)), icon=":material/error:")
        for entry in library.entries(workspaces()):
            _kept(entry)


def _review(found: Covariates, suggested: str) -> None:
    st.markdown(plain(f"{count(len(found.languages), 'language')}, columns: {', '.join(found.columns)}"))
    for note in found.warnings:
        st.warning(plain(note), icon=":material/warning:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", suggested, key="covariates-name")
        pressed = st.button("Keep", type="primary", icon=":material/bookmark_add:", key="keep-covariates")
    if pressed:
        entry = library.keep(found, name, settings().workspace)
        st.session_state[DROPS] = st.session_state.get(DROPS, 0) + 1
        notes.after_rerun(f"{plain(entry.name)} is kept.")
        st.rerun()


def _kept(entry: CovariatesEntry) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{plain(entry.name)}**: {count(len(entry.languages), 'language')}, {plain(', '.join(entry.columns))}",
            width="stretch",
        )
        if st.button("Remove", icon=":material/delete:", type="tertiary", key=f"remove-{entry.id}"):
            library.remove(entry.id, settings().workspace)
            notes.after_rerun(f"{plain(entry.name)} is removed.")
            st.rerun()
