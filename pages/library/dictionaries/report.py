"""Show a dictionary: its languages and size, and its entries side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.languages.languages import language, name_of
from isogloss.backend.corpora.languages.words import fold
from isogloss.backend.experiments.words import count
from isogloss.pages.library.shared import paging, texts

if TYPE_CHECKING:
    from isogloss.backend.corpora.dictionaries.dictionary import Dictionary


def facts(source: str, target: str, words: int, pairs: int) -> str:
    """`English → German · 991 words · 1,110 pairs`."""
    return f"{name_of(source)} → {name_of(target)} · {count(words, 'word')} · {count(pairs, 'pair')}"


def passed_over(blank: int, duplicates: int) -> list[str]:
    """Count the lines that the reader left out without listing them."""
    parts = (count(blank, "blank line") if blank else "", count(duplicates, "repeated pair") if duplicates else "")
    return [part for part in parts if part]


def entries(dictionary: Dictionary, key: str, label: str) -> None:
    """Show the words with their translations, page by page, filtered by what is typed."""
    typed = st.text_input(
        "Find a word",
        type="search",
        live="200ms",
        key=f"{key}-find",
        placeholder="Find a word or translation",
        label_visibility="collapsed",
    )
    matches = matching(dictionary, typed or "")
    if not matches:
        st.caption("No word or translation matches.")
        return
    slot, rows = paging.window(len(matches), "word", key=key)
    window = matches[rows]
    words = [word for _, word in window]
    translations = [" · ".join(dictionary.entries[word]) for word in words]
    with slot:
        columns = [(language(dictionary.source), words), (language(dictionary.target), translations)]
        texts.table([f"{place:,}" for place, _ in window], columns, label=label, numbers="entry")


def matching(dictionary: Dictionary, typed: str) -> list[tuple[int, str]]:
    """Find the entries, (place from 1, word), whose word or a translation contains what was typed."""
    numbered = list(enumerate(dictionary.entries, start=1))
    typed = typed.strip()
    if not typed:
        return numbered
    own, other = fold(typed, dictionary.source), fold(typed, dictionary.target)
    return [(n, word) for n, word in numbered if own in word or any(other in each for each in dictionary.entries[word])]


def tsv(dictionary: Dictionary) -> bytes:
    """Write the dictionary as TSV that Isogloss reads back: a line for each pair, under the tags of the languages."""
    pairs = [(word, each) for word, translations in dictionary.entries.items() for each in translations]
    lines = [[" ".join(side.split()) for side in pair] for pair in pairs]
    return texts.tsv([[dictionary.source, dictionary.target], *lines])
