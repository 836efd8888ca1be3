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


def draw() -> bool:
    """List every kept alignment. Returns whether any is the user's own."""
    return kept_list.draw(SHELF)


def facts(entry: AlignmentEntry) -> str:
    return alignment_report.facts(entry.source, entry.target, entry.links, entry.sure, gold=entry.gold)


def more(entry: AlignmentEntry) -> list[str]:
    names = {known.id: known.name for known in library.entries(workspaces())}
    return [entry.format, f"of {names.get(entry.corpus, 'a corpus no longer kept')}"]


def load(entry: AlignmentEntry) -> Content:
    """Load the links and their corpus. Raises `CorpusError` where that is no longer kept."""
    return alignments.load(entry.id, workspaces()), corpus_list.by_id(entry.corpus)


def show(entry: AlignmentEntry, content: Content, key: str) -> None:
    alignment_report.linked(*content, key=key, label=f"Links of {entry.name}")


SHELF = kept_list.Shelf(
    store=alignments.SHELF,
    facts=facts,
    more=more,
    load=load,
    show=show,
    file=lambda content: alignment_report.tsv(*content),
    empty="Drop what an aligner wrote for one of your corpora above, or links made by people (gold).",
    stays="The scores computed with it stay.",
)
