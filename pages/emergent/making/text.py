"""Human-language text made into a corpus of sub-words: which text, in how many sub-words, and how much of it."""

from __future__ import annotations

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.shared.kept import MAX_NAME
from isogloss.backend.experiments.emergent import text_corpora
from isogloss.backend.experiments.emergent.text_corpora import LEAST_VOCABULARY, MOST_VOCABULARY, TextRecipe
from isogloss.pages.emergent.making import keep as keep_made
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import language_name, unique_names
from isogloss.pages.widgets.workspace import guard, workspaces

MEANING = (
    "One language of a saved parallel corpus, an utterance a text, its symbols the sub-words of a byte-level BPE trained on "
    "that text: what XferBench's human sources are. Its statistics then stand beside an emergent language's."
)
CHARACTERS, MOST = 2_000_000, 10_000_000
"""Of the text, at first and at most: the first take some 5 seconds, the most a minute. The command line takes all."""


def form(selection: Selection | None) -> None:
    """Draw the choices, and the button that makes and keeps the corpus."""
    st.caption(MEANING)
    with guard():
        known = unique_names(library.entries(workspaces()))
    if not known:
        st.info("This is made from human-language text, and no corpus of it is saved yet.", icon=":material/info:")
        navigation.to_library("Add text", "Corpora")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        recipe, suggested = _recipe(known)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key="make_text_name", max_chars=MAX_NAME, placeholder=suggested, width=420)
        why = people.refusal("import")
        pressed = st.button(
            "Make and save", type="primary", icon=":material/add:", key="make-text", disabled=bool(why), help=why
        )
    if pressed:
        called = name.strip() or suggested
        keep_made.keep(lambda: text_corpora.make_and_keep(recipe, called, workspaces()), called, selection)


def _recipe(known: dict[str, library.CorpusEntry]) -> tuple[TextRecipe, str]:
    """Return what the form says, and what to call it."""
    options = list(known)
    source_name = select("Text of", options, "make_text", width=205)
    entry = known[source_name]
    tag = select("Language", entry.tags, f"make_text_language_{entry.id[:6]}", width=180, named=language_name)
    vocabulary = st.number_input(
        "Sub-words at most",
        LEAST_VOCABULARY,
        MOST_VOCABULARY,
        TextRecipe(entry.id, tag).vocabulary,
        key="make_text_vocabulary",
        bind="query-params",
        width=155,
        help="Of the BPE. A text in which few pairs of sub-words occur twice has fewer.",
    )
    characters = st.number_input(
        "Characters at most",
        1,
        MOST,
        CHARACTERS,
        1_000_000,
        key="make_text_characters",
        bind="query-params",
        width=160,
        help="The first texts, until they have so many. 2 million take some 5 seconds, 10 million up to a minute.",
    )
    has = next(each.characters for each in entry.languages if each.tag == tag)
    recipe = TextRecipe(entry.id, tag, int(vocabulary), None if 0 < has <= characters else int(characters))
    return recipe, text_corpora.suggested_name(recipe, source_name)
