"""The shelf of bilingual dictionaries: files, and the two languages of each."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.dictionaries import library
from isogloss.backend.corpora.dictionaries import readers as dictionary_readers
from isogloss.backend.corpora.dictionaries.layouts import languages_of_name
from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.languages.languages import name_of as language_name
from isogloss.backend.corpora.shared import apart
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.library.dictionaries import report as dictionary_report
from isogloss.pages.library.shared import adding, held, measure, several
from isogloss.pages.library.shared.shelf import Shelf
from isogloss.pages.library.shared.upload import spool
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.pages.library.shared.upload import Dropped

Ends = tuple[str, str]


def ask() -> None:
    """Draw the uploader; files whose names say their languages are read at once, of others the languages are asked for."""
    dropped = adding.upload(library.KIND, "Dictionaries, each a file")
    if not dropped:
        return
    told = [languages_of_name(file.name) for file in dropped]
    ends = [each for each in told if each]
    if len(ends) == len(dropped) and held.by_itself("dictionary"):
        read(dropped, ends)
        held.was_in_vain("dictionary")  # where something was read, the page is drawn anew
    chosen = [_choose_both(file, first, place) for place, (file, first) in enumerate(zip(dropped, told, strict=True))]
    ends = [each for each in chosen if each]
    if held.read_button("dictionary", disabled=len(ends) < len(dropped)):
        with held.answering("dictionary"):
            read(dropped, ends)


def read(dropped: Sequence[Dropped], ends: Sequence[Ends]) -> None:
    """Read each file in its two languages, and show what they are; say why where they cannot be read."""
    dictionaries: list[several.Read] = []
    problems: list[str] = []
    bar = st.progress(0.0)
    try:
        with spool(dropped, settings().workspace) as files:
            for number, (file, (source, target)) in enumerate(zip(files, ends, strict=True)):
                bar.progress(number / len(files), f"Reading {count(len(files), 'file')} …")
                try:
                    dictionaries.append(several.Read(apart.read(dictionary_readers.read, file, source, target), [file.name]))
                except IsoglossError as error:
                    problems.append(str(error))
    except IsoglossError as error:
        problems.append(str(error))
    bar.empty()
    if dictionaries:
        several.hold(SHELF, dictionaries, problems)
    several.tell(problems)


def _choose_both(file: Dropped, first: Ends | None, place: int) -> Ends | None:
    source, target = first or (None, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = choose(verbatim(f"Words of {printable(file.name)} are in"), source, key=f"dictionary-source-{place}-{file.name}")
        other = choose("Translations are in", target, key=f"dictionary-target-{place}-{file.name}")
    return (one, other) if one and other else None


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
    return tuple(sorted(genera(), key=lambda tag: language_name(tag).casefold()))


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
