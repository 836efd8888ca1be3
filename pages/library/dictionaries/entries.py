"""List the kept dictionaries: details, entries, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.dictionaries import library as dictionaries
from pages.library.corpora import report as corpus_report
from pages.library.dictionaries import report as dictionary_report
from pages.library.shared import kept_list
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.dictionaries.dictionary import Dictionary
    from backend.corpora.dictionaries.library import DictionaryEntry


@st.cache_resource(max_entries=3, show_spinner=False)
def loaded(dictionary_id: str, entry_name: str) -> Dictionary:
    """Load a kept dictionary by its content id: equal ids are equal pairs."""
    return dictionaries.load(dictionary_id, workspaces())


def draw() -> bool:
    """List every kept dictionary. Returns whether any is the user's own."""
    return kept_list.draw(SHELF)


def facts(entry: DictionaryEntry) -> str:
    return dictionary_report.facts(entry.source, entry.target, entry.words, entry.pairs)


def more(entry: DictionaryEntry) -> list[str]:
    return [entry.format, *dictionary_report.passed_over(entry.blank, entry.duplicates)]


def show(entry: DictionaryEntry, dictionary: Dictionary, key: str) -> None:
    corpus_report.skipped(dictionary.report, key=key, what="line")
    dictionary_report.entries(dictionary, key=key, label=f"Entries of {entry.name}")


SHELF = kept_list.Shelf(
    store=dictionaries.SHELF,
    facts=facts,
    more=more,
    load=lambda entry: loaded(entry.id, entry.name),
    show=show,
    file=dictionary_report.tsv,
    empty="Drop a bilingual dictionary above: a word and one of its translations on each line.",
    stays="The scores computed with it stay.",
)
