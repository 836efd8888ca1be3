"""List the kept corpora: details, sentences side by side, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.parallel import library
from backend.experiments.words import count
from pages.library.corpora import report as corpus_report
from pages.library.corpora import text as corpus_text
from pages.library.shared import kept_list
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.parallel.corpus import ParallelCorpus
    from backend.corpora.parallel.library import CorpusEntry


@st.cache_resource(max_entries=3, show_spinner=False)
def loaded(corpus_id: str, entry_name: str) -> ParallelCorpus:
    """Load a kept corpus by its content id: equal ids are equal rows. The name is part of what its report says."""
    return library.load(corpus_id, workspaces())


def by_id(corpus_id: str) -> ParallelCorpus:
    """Load a kept corpus whose name is not known. Raises `CorpusError` where it is no longer kept."""
    return loaded(corpus_id, next((e.name for e in library.entries(workspaces()) if e.id == corpus_id), ""))


def draw() -> bool:
    """List every kept corpus. Returns whether any is the user's own."""
    return kept_list.draw(SHELF)


def facts(entry: CorpusEntry) -> str:
    return f"{entry.format} · {count(len(entry.languages), 'language')} · {count(entry.sentences, 'sentence')}"


def more(entry: CorpusEntry) -> list[str]:
    source = [f"from {entry.source}"] if entry.source else []
    return source if entry.complete else [f"with gaps: {entry.rows:,} texts", *source]


def show(entry: CorpusEntry, corpus: ParallelCorpus, key: str) -> None:
    corpus_report.skipped(corpus.report, key=key)
    corpus_report.contents(corpus, key=key, label=f"Sentences of {entry.name}")


SHELF = kept_list.Shelf(
    store=library.SHELF,
    facts=facts,
    more=more,
    load=lambda entry: loaded(entry.id, entry.name),
    show=show,
    file=corpus_text.tsv,
    empty="Drop the files of a parallel corpus above: the same sentences in two or more languages.",
    stays="The scores computed from it stay.",
)
