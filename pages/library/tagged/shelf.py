"""The shelf of tagged text: parts of speech, entities or other tags of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared import apart
from isogloss.backend.corpora.tagged import library
from isogloss.backend.corpora.tagged import readers as tagged_readers
from isogloss.backend.experiments.words import count
from isogloss.pages.library.shared import adding, held, measure
from isogloss.pages.library.shared.shelf import Shelf
from isogloss.pages.library.tagged import files as tagged_files
from isogloss.pages.library.tagged import report as tagged_report

if TYPE_CHECKING:
    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus


def ask() -> None:
    """Draw the uploader."""
    dropped = adding.upload(library.KIND, "All files of one tagged corpus")
    if dropped and held.read_button("tagged corpus"):
        with held.answering("tagged corpus"):
            adding.read(SHELF, dropped, lambda files: apart.read(tagged_readers.read, files))


def suggest(corpus: TaggedCorpus) -> str:
    """`POS of 3 languages`."""
    kind = {"pos": "POS", "ner": "Entities", "other": "Tags"}[corpus.kind]
    return f"{kind} of {count(len(corpus.languages), 'language')}"


SHELF = Shelf(
    library.KIND,
    title="Tagged text",
    heading="Add tagged text",
    ask=ask,
    empty="Drop treebanks or other text above in which each word has a tag: its part of speech, or the entity that it "
    "belongs to.",
    facts=tagged_report.facts,
    source=lambda entry: entry.source,
    suggest=suggest,
    contains="Sentences",
    show=tagged_report.contents,
    file=tagged_files.conllu,
    form="CoNLL-U",
    links=lambda _entry, name: measure.links("tagged corpus", name),
)
