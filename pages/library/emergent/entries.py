"""List the kept emergent corpora: details, utterances, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.emergent import library as emergent_library
from pages.library.emergent import report as emergent_report
from pages.library.shared import kept_list
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.emergent.corpus import EmergentCorpus
    from backend.corpora.emergent.library import EmergentEntry


@st.cache_resource(max_entries=3, show_spinner=False)
def loaded(corpus_id: str, entry_name: str) -> EmergentCorpus:
    """Load a kept emergent corpus by its content id: equal ids are equal utterances."""
    return emergent_library.load(corpus_id, workspaces())


def draw() -> bool:
    """List every kept emergent corpus. Returns whether any is the user's own."""
    return kept_list.draw(SHELF)


def facts(entry: EmergentEntry) -> str:
    return emergent_report.facts(entry.tokens, entry.utterances, entry.vocabulary_size)


def more(entry: EmergentEntry) -> list[str]:
    return [entry.format, *([f"from {entry.source}"] if entry.source else [])]


def show(entry: EmergentEntry, corpus: EmergentCorpus, key: str) -> None:
    emergent_report.left_out(corpus.report, key=key)
    emergent_report.contents(corpus, key=key, label=f"Utterances of {entry.name}")


SHELF = kept_list.Shelf(
    store=emergent_library.SHELF,
    facts=facts,
    more=more,
    load=lambda entry: loaded(entry.id, entry.name),
    show=show,
    file=emergent_report.jsonl,
    form="JSON Lines",
    empty="Drop emergent-language corpora above: JSON Lines, CSV, or integers or words, an utterance a line.",
    stays="The scores computed from it stay.",
)
