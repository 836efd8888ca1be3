"""List the kept tagged corpora: details, sentences, tags, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.tagged import library as tagged_library
from pages.library.corpora import report as corpus_report
from pages.library.shared.kept_list import Shelf, in_memory, origin
from pages.library.tagged import files
from pages.library.tagged import report as tagged_report

if TYPE_CHECKING:
    from backend.corpora.tagged.corpus import TaggedCorpus
    from backend.corpora.tagged.library import TaggedEntry

EMPTY = "Drop treebanks or other text above in which each word has a tag: its part of speech, or the entity that it belongs to."


def facts(entry: TaggedEntry) -> str:
    """Write what stands beside the name: languages, sentences, words and tags."""
    return tagged_report.facts(
        entry.kind, len(entry.languages), entry.sentences, entry.words, len(entry.tags), parallel=entry.parallel
    )


def more(entry: TaggedEntry) -> list[str]:
    """Give the format, and where the text is from."""
    return [entry.format, *origin(entry.source)]


def show(entry: TaggedEntry, corpus: TaggedCorpus, key: str) -> None:
    """Draw what was left out, and the sentences with their tags."""
    corpus_report.list_skipped(corpus.report, key=key, what="sentence or word")
    tagged_report.contents(corpus, key=key, label=f"Sentences of {entry.name}")


LOAD = in_memory(tagged_library.load)
SHELF = Shelf(tagged_library.SHELF, facts, more, LOAD, show, file=files.conllu, empty=EMPTY, form="CoNLL-U")
