"""List the kept word alignments: details, linked words, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.parallel import library
from backend.corpora.word_alignments import library as alignments
from pages.library.corpora import entries as corpus_list
from pages.library.shared import kept_list
from pages.library.word_alignments import report as alignment_report
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.parallel.corpus import ParallelCorpus
    from backend.corpora.word_alignments.library import AlignmentEntry
    from backend.corpora.word_alignments.links import Links

    Content = tuple[Links, ParallelCorpus]

EMPTY = "Upload an aligner's output for one of your corpora above, or links made by people (gold)."


def facts(entry: AlignmentEntry) -> str:
    """Write what stands beside the name: languages and links."""
    return alignment_report.facts(entry.source, entry.target, entry.links, entry.sure, gold=entry.gold)


def more(entry: AlignmentEntry) -> list[str]:
    """Give the format, and the corpus whose words are linked."""
    names = {known.id: known.name for known in library.entries(workspaces())}
    return [entry.format, f"of {names.get(entry.corpus, 'a corpus no longer saved')}"]


def load(entry: AlignmentEntry) -> Content:
    """Load the links and their corpus. Raises `CorpusError` where that is no longer saved."""
    return alignments.load(entry.id, workspaces()), corpus_list.by_id(entry.corpus)


def show(entry: AlignmentEntry, content: Content, key: str) -> None:
    """Draw the linked words, sentence by sentence."""
    alignment_report.show_links(*content, key=key, label=f"Links of {entry.name}")


SHELF = kept_list.Shelf(
    alignments.SHELF, facts, more, load, show, file=lambda content: alignment_report.tsv(*content), empty=EMPTY, scored="with"
)
