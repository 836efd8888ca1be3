"""The corpora that are kept: details, sentences side by side, a file of them, another name, and removal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora import library
from backend.errors import IsoglossError
from backend.settings import settings
from pages.widgets import corpus_report, corpus_text
from pages.widgets.words import count, plain
from pages.widgets.workspace import guard, workspaces

if TYPE_CHECKING:
    from backend.corpora.library import CorpusEntry
    from backend.corpora.parallel import ParallelCorpus


@st.cache_resource(max_entries=3, show_spinner=False)
def loaded(corpus_id: str, entry_name: str) -> ParallelCorpus:
    """A kept corpus by its content id: equal ids are equal rows. The name is part of what its report says."""
    return library.load(corpus_id, workspaces())


def draw() -> bool:
    """Every kept corpus, its details drawn when they are opened. Returns whether any is the user's own."""
    with guard():
        kept = library.entries(workspaces())
        own = {entry.id for entry in library.entries([settings().workspace])}
    if not kept:
        with st.container(border=True):
            st.markdown("**No corpus is kept yet.**")
            st.caption("Drop the files of a parallel corpus above: the same sentences in two or more languages.")
    for entry in kept:
        draw_entry(entry, own=entry.id in own)
    return bool(own)


def draw_entry(entry: CorpusEntry, *, own: bool) -> None:
    demo = "" if own else " :gray-badge[demo]"
    facts = f"{entry.format} · {count(len(entry.languages), 'language')} · {count(entry.sentences, 'sentence')}"
    key = opened_key(entry)
    with st.expander(f"**{plain(entry.name)}**{demo} · {plain(facts)}", key=key, on_change="rerun") as opened:
        if opened.open:
            _opened(entry, own=own, key=key)


def opened_key(entry: CorpusEntry) -> str:
    """Session state: whether the corpus is opened."""
    return f"corpus-{entry.id[:12]}"


def _opened(entry: CorpusEntry, *, own: bool, key: str) -> None:
    source = [f"from {entry.source}"] if entry.source else []
    licence = [entry.licence] if entry.licence else []
    gaps = [] if entry.complete else [f"with gaps: {entry.rows:,} texts"]
    kept = f"kept {entry.created_at.astimezone():%-d %b %Y}"
    st.caption(plain(" · ".join([*gaps, *source, *licence, kept, f"id {entry.id}"])))
    try:
        corpus = loaded(entry.id, entry.name)
    except IsoglossError as error:
        st.error(plain(str(error)), icon=":material/error:")
        _actions(entry, None, own=own, key=key)
        return
    _odd(entry)
    corpus_report.skipped(corpus.report, key=key)
    corpus_report.contents(corpus, key=key, label=f"Sentences of {entry.name}")
    _actions(entry, corpus, own=own, key=key)


def _odd(entry: CorpusEntry) -> None:
    """What its reader warned of: read once already, so folded away."""
    if entry.warnings:
        with st.expander(count(len(entry.warnings), "warning"), icon=":material/warning:"):
            for warning in entry.warnings:
                st.markdown(f"- {plain(warning)}")


def _actions(entry: CorpusEntry, corpus: ParallelCorpus | None, *, own: bool, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if corpus is not None:
            st.download_button(
                "Download TSV",
                data=lambda: corpus_text.tsv(corpus),
                file_name=f"{re.sub(r'[^a-z0-9]+', '-', entry.name.lower()).strip('-') or 'corpus'}.tsv",
                mime="text/tab-separated-values",
                icon=":material/download:",
                on_click="ignore",
                key=f"{key}-tsv",
            )
        if not own:
            st.caption("Part of the demo workspace, which is read-only.")
            return
        if st.button("Rename", icon=":material/edit:", key=f"{key}-rename"):
            rename(entry)
        if st.button("Remove", icon=":material/delete:", key=f"{key}-remove"):
            remove(entry)


@st.dialog("Rename this corpus")
def rename(entry: CorpusEntry) -> None:
    name = st.text_input("Name", value=entry.name, max_chars=library.MAX_NAME, key="rename-corpus")
    if st.button("Rename", type="primary", key="rename-corpus-yes", disabled=not name.strip()):
        try:
            library.rename(entry.id, name, settings().workspace)
        except IsoglossError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        st.session_state[opened_key(entry)] = True  # another label makes another expander, which would be closed
        st.rerun()


@st.dialog("Remove this corpus?")
def remove(entry: CorpusEntry) -> None:
    st.markdown(f"**{plain(entry.name)}** is deleted from the workspace. The scores computed from it stay.")
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep", key="remove-corpus-no"):
            st.rerun()
        if st.button("Remove", type="primary", icon=":material/delete:", key="remove-corpus-yes"):
            with guard():
                library.remove(entry.id, settings().workspace)
            st.toast(f"{plain(entry.name)} is removed.", icon=":material/check:")
            st.rerun()
