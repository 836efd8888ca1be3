"""The dictionaries that are kept: details, entries side by side, a file of them, another name, and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.dictionaries import library as lexicons
from pages.library.corpora import report as corpus_report
from pages.library.dictionaries import report as lexicon_report
from pages.library.shared import kept_list
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.dictionaries.dictionary import Lexicon
    from backend.corpora.dictionaries.library import LexiconEntry


@st.cache_resource(max_entries=3, show_spinner=False)
def loaded(lexicon_id: str, entry_name: str) -> Lexicon:
    """A kept dictionary by its content id: equal ids are equal pairs."""
    return lexicons.load(lexicon_id, workspaces())


def draw() -> bool:
    """Every kept dictionary. Returns whether any is the user's own."""
    return kept_list.draw(SHELF)


def facts(entry: LexiconEntry) -> str:
    return lexicon_report.facts(entry.source, entry.target, entry.words, entry.pairs)


def more(entry: LexiconEntry) -> list[str]:
    return [entry.format, *lexicon_report.passed_over(entry.blank, entry.duplicates)]


def show(entry: LexiconEntry, lexicon: Lexicon, key: str) -> None:
    corpus_report.skipped(lexicon.report, key=key, what="line")
    lexicon_report.entries(lexicon, key=key, label=f"Entries of {entry.name}")


SHELF = kept_list.Shelf(
    store=lexicons.SHELF,
    facts=facts,
    more=more,
    load=lambda entry: loaded(entry.id, entry.name),
    show=show,
    file=lexicon_report.tsv,
    empty="Drop a bilingual dictionary above: a word and one of its translations on each line.",
    stays="The scores computed with it stay.",
)
