"""The shelf of parallel corpora: from files, the Hub, or Wikipedia text that a worker fetches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.languages.languages import name_of as language_name
from isogloss.backend.corpora.parallel import library, readers
from isogloss.backend.corpora.shared import apart
from isogloss.backend.experiments.words import count
from isogloss.pages.library.corpora import hub as hub_corpus
from isogloss.pages.library.corpora import report as corpus_report
from isogloss.pages.library.corpora import text as corpus_text
from isogloss.pages.library.corpora import wikipedia as wikipedia_text
from isogloss.pages.library.shared import adding, measure
from isogloss.pages.library.shared.shelf import Shelf, loaded
from isogloss.pages.widgets.workspace import attempt, workspaces

if TYPE_CHECKING:
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus


def ask() -> None:
    """Draw the ways to add a corpus."""
    ways = {"Files": files, "Hugging Face Hub": from_hub, "Wikipedia": wikipedia_text.draw}
    way = st.segmented_control("Add from", list(ways), default="Files", required=True, key="corpus-from", bind="query-params")
    ways[way or "Files"]()


def files() -> None:
    """Draw the uploader; dropped files are read at once."""
    dropped = adding.upload(library.KIND, "All files of one corpus")
    if dropped:
        adding.read(SHELF, dropped, lambda files: apart.read(readers.read, files))


def from_hub() -> None:
    """Draw the form for a data set of the Hub, and load what was asked for."""
    asked = hub_corpus.form(sorted(genera()), language_name)
    if asked is None:
        return
    with st.spinner(f"Loading {asked.dataset} …"):
        corpus = attempt(lambda: hub_corpus.load(asked))
    if corpus is not None:
        adding.hold(SHELF, corpus, asked.name)


def by_id(corpus_id: str) -> ParallelCorpus:
    """Load a saved corpus by its content id. Raises `CorpusError` where it is no longer saved."""
    known = {entry.id: entry for entry in library.entries(workspaces())}
    return loaded(library.KIND, known[corpus_id]) if corpus_id in known else library.load(corpus_id, workspaces())


SHELF = Shelf(
    library.KIND,
    title="Corpora",
    heading="Add a corpus",
    ask=ask,
    empty="Upload the files of a parallel corpus above: the same sentences in two or more languages.",
    facts=lambda entry: f"{count(len(entry.languages), 'language')} · {count(entry.sentences, 'sentence')}",
    format_first=True,
    more=lambda entry: [] if entry.complete else [f"with gaps: {entry.rows:,} texts"],
    source=lambda entry: entry.source,
    contains="Sentences",
    show=corpus_report.contents,
    file=corpus_text.tsv,
    links=lambda _entry, name: measure.links("corpus", name),
)
