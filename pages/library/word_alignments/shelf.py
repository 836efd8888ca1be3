"""The shelf of word alignments of saved corpora: an aligner's file, its tokens, and whether people made it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.dictionaries.layouts import languages_of_name
from isogloss.backend.corpora.languages.languages import name_of as language_name
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.shared import apart
from isogloss.backend.corpora.word_alignments import library, links
from isogloss.pages.library.corpora.shelf import by_id
from isogloss.pages.library.shared import adding, held, measure
from isogloss.pages.library.shared.shelf import Shelf
from isogloss.pages.library.word_alignments import report as alignment_report
from isogloss.pages.widgets.workspace import guard, workspaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
    from isogloss.backend.corpora.word_alignments.links import Links
    from isogloss.pages.library.shared.upload import Dropped


def ask() -> None:
    """Draw the uploader, and what the dropped file does not say."""
    with guard():
        known = [entry for entry in corpora.entries(workspaces()) if len(entry.languages) > 1]
    if not known:
        st.caption("An alignment belongs to a corpus: add that first, under Corpora.")
    elif dropped := adding.upload(library.KIND, "One alignment", several=False):
        ask_of(dropped[0], known, held.drop("alignment"))


def ask_of(dropped: Dropped, known: Sequence[CorpusEntry], number: int) -> None:
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
    if held.read_button("alignment", disabled=len(tokens) == 1):
        with held.answering("alignment"):
            read([dropped, *tokens], entry, source, target, gold=gold)


def choose(label: str, tags: Sequence[str], index: int | None, *, key: str) -> str | None:
    """Choose a language of the corpus; None until one is chosen."""
    chosen: str | None = st.selectbox(
        label, tags, index=index, format_func=lambda tag: f"{language_name(tag)} · {tag}", placeholder="Choose", key=key
    )
    return chosen


def read(dropped: Sequence[Dropped], entry: CorpusEntry, source: str, target: str, *, gold: bool) -> None:
    """Read the alignment and its tokens and show what they are; say why where they cannot be read."""

    def linked(files: list[InputFile]) -> Links:
        tokens = (files[1], files[2]) if len(files) == 3 else None
        return replace(apart.read(links.read, files[0], by_id(entry.id), source, target, tokens=tokens), gold=gold)

    adding.read(SHELF, dropped, linked, names=1)


def corpus_name(entry: AlignmentEntry) -> str:
    """Name the corpus whose words are linked."""
    names = {known.id: known.name for known in corpora.entries(workspaces())}
    return f"of {names.get(entry.corpus, 'a corpus no longer saved')}"


def with_corpus(found: Links) -> tuple[Links, ParallelCorpus]:
    """Return the links and their corpus. Raises `CorpusError` where that is no longer saved."""
    return found, by_id(found.corpus)


SHELF = Shelf(
    library.KIND,
    title="Alignments",
    heading="Add an alignment",
    ask=ask,
    empty="Upload an aligner's output for one of your corpora above, or links made by people (gold).",
    facts=alignment_report.facts,
    more=lambda entry: [corpus_name(entry)],
    suggest=lambda found: found.format,
    contains="Links",
    view=with_corpus,
    show=alignment_report.show_links,
    file=lambda content: alignment_report.tsv(*content),
    links=lambda entry, name: measure.dictionary_links(entry, f"{name} (alignment)"),
)
