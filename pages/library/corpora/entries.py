"""List the kept corpora: details, sentences side by side, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.parallel import library
from backend.experiments.words import count
from pages.library.corpora import report as corpus_report
from pages.library.corpora import text as corpus_text
from pages.library.shared.kept_list import Shelf, in_memory, origin
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.parallel.corpus import ParallelCorpus
    from backend.corpora.parallel.library import CorpusEntry

EMPTY = "Upload the files of a parallel corpus above: the same sentences in two or more languages."


def by_id(corpus_id: str) -> ParallelCorpus:
    """Load a saved corpus by its content id. Raises `CorpusError` where it is no longer saved."""
    known = {entry.id: entry for entry in library.entries(workspaces())}
    return SHELF.load(known[corpus_id]) if corpus_id in known else library.load(corpus_id, workspaces())


def facts(entry: CorpusEntry) -> str:
    """Write what stands beside the name: format, languages and sentences."""
    return f"{entry.format} · {count(len(entry.languages), 'language')} · {count(entry.sentences, 'sentence')}"


def more(entry: CorpusEntry) -> list[str]:
    """Say where the corpus is from, and how many texts it has where some lack."""
    gaps = [] if entry.complete else [f"with gaps: {entry.rows:,} texts"]
    return [*gaps, *origin(entry.source)]


def show(entry: CorpusEntry, corpus: ParallelCorpus, key: str) -> None:
    """Draw the rows left out, and the sentences side by side."""
    corpus_report.list_skipped(corpus.report, key=key)
    corpus_report.contents(corpus, key=key, label=f"Sentences of {entry.name}")


SHELF = Shelf(library.SHELF, facts, more, in_memory(library.load), show, file=corpus_text.tsv, empty=EMPTY)
