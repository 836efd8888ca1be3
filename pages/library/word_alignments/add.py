"""Add a word alignment of a saved corpus: an aligner's file, its tokens, and whether people made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.dictionaries.layouts import languages_of_name
from backend.corpora.languages.languages import name_of as language_name
from backend.corpora.parallel import library
from backend.corpora.shared import apart
from backend.corpora.word_alignments import library as alignments
from backend.corpora.word_alignments import links
from backend.settings import settings
from pages.library.corpora import entries as corpus_list
from pages.library.shared import found
from pages.library.shared.upload import Dropped, read_dropped
from pages.library.word_alignments import report as alignment_report
from pages.widgets.words import plain
from pages.widgets.workspace import guard, workspaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.parallel.library import CorpusEntry
    from backend.corpora.shared.inputs import InputFile
    from backend.corpora.word_alignments.links import Links

FORMATS = """
| Format | Lines |
|---|---|
| Pharaoh | `0-0 1-2 …`, one line a sentence pair; a possible link of a gold file is `3p4` or `3?4` |
| NAACL | `sentence source target S` or `… P`, one line a link, counted from 1 |

One line for every sentence that the corpus has in both languages, in its order. FastAlign, eflomal, awesome-align and
SimAlign write Pharaoh format. The tokens are those of the two files of tokenised sentences (spaces between tokens);
without them, the words that Isogloss finds itself, as `python -m backend alignment tokens` writes them.
"""


def draw() -> None:
    """Draw the corpus, its two languages and the uploaders, or the alignment that was read."""
    if waiting := found.waiting("alignment"):
        review(*waiting)
        return
    with guard():
        known = [entry for entry in library.entries(workspaces()) if len(entry.languages) > 1]
    if not known:
        st.caption("An alignment belongs to a corpus: add that first, under Corpora.")
        return
    number = found.drop("alignment")
    dropped = st.file_uploader("One alignment", key=f"drop-alignment-{number}")
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if dropped is not None:
        ask(dropped, known, number)


def ask(dropped: Dropped, known: Sequence[CorpusEntry], number: int) -> None:
    """Ask for what the file does not say: corpus, languages, tokens, gold."""
    ends = languages_of_name(dropped.name)
    with st.container(horizontal=True):
        entry = st.selectbox("Corpus", known, format_func=lambda each: each.name, key="alignment-corpus")
        tags = entry.tags
        first = tags.index(ends[0]) if ends and ends[0] in tags else None
        second = tags.index(ends[1]) if ends and ends[1] in tags else None
        source = choose("First tokens are in", tags, first, key=f"alignment-source-{number}-{entry.id}")
        target = choose("Second tokens are in", tags, second, key=f"alignment-target-{number}-{entry.id}")
    if not source or not target:
        return
    own, other = st.columns(2)
    files = [
        place.file_uploader(f"{language_name(tag)} sentences as tokenised (optional)", key=f"alignment-{side}-{number}")
        for place, side, tag in ((own, "left", source), (other, "right", target))
    ]
    gold = st.toggle("Made by people (gold): others are measured by it", key=f"alignment-gold-{number}")
    tokens = [file for file in files if file is not None]
    if len(tokens) == 1:
        st.caption("Upload the tokenised sentences of both languages, or of neither.")
    if st.button("Read", icon=":material/search:", type="primary", key="read-alignment", disabled=len(tokens) == 1):
        read([dropped, *tokens], entry, source, target, gold=gold)


def choose(label: str, tags: Sequence[str], index: int | None, *, key: str) -> str | None:
    """Choose a language of the corpus; None until one is chosen."""
    chosen: str | None = st.selectbox(
        label, tags, index=index, format_func=lambda tag: f"{language_name(tag)} · {tag}", placeholder="Choose", key=key
    )
    return chosen


def read(dropped: Sequence[Dropped], entry: CorpusEntry, source: str, target: str, *, gold: bool) -> None:
    """Read the alignment and its tokens and show what they are; say why where they cannot be read."""

    def linked(spool: list[InputFile]) -> Links:
        tokens = (spool[1], spool[2]) if len(spool) == 3 else None
        return apart.read(links.read, spool[0], corpus_list.by_id(entry.id), source, target, tokens=tokens)

    read_links = read_dropped(dropped, plain(dropped[0].name), linked)
    if read_links is not None:
        suggested = found.suggestion(dropped[0].name) or read_links.format
        found.hold("alignment", (read_links, gold), found.free(suggested, alignments.SHELF))


def review(what: tuple[Links, bool], suggested: str) -> None:
    """Show the alignment that was read, to be named and kept or dropped."""
    read_links, gold = what
    alignment_report.show_recognised(read_links, gold=gold)
    found.name_and_keep(
        "alignment",
        suggested,
        lambda name: alignments.keep(read_links, name, settings().workspace, gold=gold),
        same="links",
    )
    with guard():
        corpus = corpus_list.by_id(read_links.corpus)
    alignment_report.show_links(read_links, corpus, key="found-alignment", label="Links of the alignment")
