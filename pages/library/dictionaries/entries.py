"""List the kept dictionaries: details, entries, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.dictionaries import library as dictionaries
from pages.library.corpora import report as corpus_report
from pages.library.dictionaries import report as dictionary_report
from pages.library.shared.kept_list import Shelf, in_memory

if TYPE_CHECKING:
    from backend.corpora.dictionaries.dictionary import Dictionary
    from backend.corpora.dictionaries.library import DictionaryEntry

EMPTY = "Upload a bilingual dictionary above: a word and one of its translations on each line."


def facts(entry: DictionaryEntry) -> str:
    """Write what stands beside the name: languages, words and pairs."""
    return dictionary_report.facts(entry.source, entry.target, entry.words, entry.pairs)


def more(entry: DictionaryEntry) -> list[str]:
    """Give the format, and how many lines were passed over."""
    return [entry.format, *dictionary_report.passed_over(entry.blank, entry.duplicates)]


def show(entry: DictionaryEntry, dictionary: Dictionary, key: str) -> None:
    """Draw the lines left out, and the entries."""
    corpus_report.list_skipped(dictionary.report, key=key, what="line")
    dictionary_report.entries(dictionary, key=key, label=f"Entries of {entry.name}")


SHELF = Shelf(
    dictionaries.SHELF, facts, more, in_memory(dictionaries.load), show, file=dictionary_report.tsv, empty=EMPTY, scored="with"
)
