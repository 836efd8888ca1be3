"""The shelf of bilingual dictionaries: a file and its two languages."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from backend.corpora.dictionaries import library
from backend.corpora.dictionaries import readers as dictionary_readers
from backend.corpora.dictionaries.layouts import languages_of_name
from backend.corpora.languages.languages import families
from backend.corpora.languages.languages import name_of as language_name
from backend.corpora.shared import apart
from pages.library.dictionaries import report as dictionary_report
from pages.library.shared import adding, held, measure
from pages.library.shared.shelf import Shelf


def ask() -> None:
    """Draw the uploader, and the two languages of what is dropped."""
    dropped = adding.upload(library.KIND, "One dictionary", several=False)
    if not dropped:
        return
    (file,) = dropped
    first, second = languages_of_name(file.name) or (None, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = choose("Words are in", first, key=f"dictionary-source-{file.name}")
        target = choose("Translations are in", second, key=f"dictionary-target-{file.name}")
        asked = held.read_button("dictionary", disabled=not (source and target))
    if asked and source and target:
        with held.answering("dictionary"):
            adding.read(SHELF, dropped, lambda files: apart.read(dictionary_readers.read, files[0], source, target))


def choose(label: str, tag: str | None, *, key: str) -> str | None:
    """Choose a language by name or tag; any other tag can be typed."""
    options = named_languages() if tag is None or tag in named_languages() else (tag, *named_languages())
    chosen: str | None = st.selectbox(
        label,
        options,
        index=None if tag is None else options.index(tag),
        format_func=lambda each: f"{language_name(each)} · {each}",
        accept_new_options=True,
        placeholder="Choose or type a tag",
        key=key,
    )
    return chosen


@lru_cache(maxsize=1)
def named_languages() -> tuple[str, ...]:
    """Languages with a name in the product's table, in the order of their names."""
    return tuple(sorted(families(), key=lambda tag: language_name(tag).casefold()))


SHELF = Shelf(
    library.KIND,
    title="Dictionaries",
    heading="Add a dictionary",
    ask=ask,
    empty="Upload a bilingual dictionary above: a word and one of its translations on each line.",
    facts=lambda entry: dictionary_report.facts(entry.source, entry.target, entry.words, entry.pairs),
    passed_over=lambda entry: dictionary_report.passed_over(entry.blank, entry.duplicates),
    contains="Entries",
    same="pairs of words",
    show=dictionary_report.entries,
    file=dictionary_report.tsv,
    links=measure.dictionary_links,
)
