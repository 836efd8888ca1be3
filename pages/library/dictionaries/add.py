"""Add a bilingual dictionary: a dropped file and its two languages, shown before it is kept."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.dictionaries import readers as dictionary_readers
from backend.corpora.dictionaries.layouts import languages_of_name
from backend.corpora.languages.languages import families
from backend.corpora.languages.languages import name_of as language_name
from backend.corpora.shared import apart
from backend.settings import settings
from pages.library.dictionaries import report as dictionary_report
from pages.library.shared import found
from pages.library.shared.upload import Dropped, read_dropped
from pages.widgets.words import plain

if TYPE_CHECKING:
    from backend.corpora.dictionaries.dictionary import Dictionary

FORMATS = """
| Format | Lines |
|---|---|
| MUSE | `cat katze`: a tab or a space between, a line for each translation |
| CSV, TSV | two columns |
| CSV, TSV with more columns | the first line names the two languages: `id,en,de` |

Text is UTF-8. Words are compared in lower case, as in MUSE.
"""


def draw() -> None:
    """Draw the uploader with its two languages, or the dictionary that was read."""
    if waiting := found.waiting("dictionary"):
        review(*waiting)
        return
    dropped = st.file_uploader("One dictionary", key=f"drop-dictionary-{found.drop('dictionary')}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if dropped is None:
        return
    first, second = languages_of_name(dropped.name) or (None, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = choose("Words are in", first, key=f"dictionary-source-{dropped.file_id}")
        target = choose("Translations are in", second, key=f"dictionary-target-{dropped.file_id}")
        asked = st.button(
            "Read", icon=":material/search:", type="primary", key="read-dictionary", disabled=not (source and target)
        )
    if asked and source and target:
        read(dropped, source, target)


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


def read(dropped: Dropped, source: str, target: str) -> None:
    """Read the dropped file and show what it is; say why where it cannot be read."""
    dictionary = read_dropped(
        [dropped], plain(dropped.name), lambda files: apart.read(dictionary_readers.read, files[0], source, target)
    )
    if dictionary is not None:
        suggested = found.suggestion(dropped.name) or dictionary.report.format
        found.hold("dictionary", dictionary, found.free(suggested, dictionaries.SHELF))


def review(dictionary: Dictionary, suggested: str) -> None:
    """Show the dictionary that was read, to be named and kept or dropped."""
    dictionary_report.show_recognised(dictionary, key="found-dictionary")
    found.name_and_keep(
        "dictionary",
        suggested,
        lambda name: dictionaries.keep(dictionary, name, settings().workspace),
        same="pairs of words",
        losses=dictionary.report.losses,
    )
    dictionary_report.entries(dictionary, key="found-dictionary", label="Entries of the dictionary")
