"""One sentence of several languages, its pieces marked as each tokeniser cuts it."""

from __future__ import annotations

from functools import partial
from html import escape
from itertools import groupby

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.gloss import texts_of
from isogloss.backend.experiments.tokenisers import cut_sentences
from isogloss.backend.experiments.words import count
from isogloss.backend.models.entry import Model
from isogloss.pages.tokenisers import cards
from isogloss.pages.tokenisers.selection import Selection
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

AT_FIRST = 6
"""Languages shown before any is chosen."""
SHORT = 70
"""Characters of a sentence that the box shows."""
COLOURS = ("#2574B0", "#EE6412")
"""Of pieces, by turns; a line parts them, too."""
PIECE = "background:color-mix(in srgb, {colour} 26%, transparent);border-inline-start:2px solid {colour};padding-inline:.08em"
UNKNOWN = ";outline:2px dashed currentColor;outline-offset:-1px"
READING = (
    "A colour and a line begin each piece. A raised number: so many pieces stand for the same characters (bytes). A dashed "
    "frame: the tokeniser has no piece for it."
)


def draw(selection: Selection) -> None:
    """Draw the box of the sentence, that of the languages, and the sentence as each tokeniser cuts it."""
    shards = selection.shards(*selection.shown)
    with guard():
        known = cooked.rows(Recipe((partial(cut_sentences.sentences, workspaces=workspaces(), shards=shards),)))
        ids = known["sentence_id"].tolist()
        if not ids or selection.corpus.names_only:
            st.info("The sentences of this corpus are not here, so their pieces cannot be shown.", icon=":material/info:")
            return
        sentence, tags = _choose(selection, ids)
        calls = (
            partial(cut_sentences.cut, workspaces=workspaces(), shards=shards, sentence=sentence, languages=tags),
            partial(cut_sentences.with_texts, corpus=selection.corpus.id, sentence=sentence, workspaces=workspaces()),
        )
        recipe = Recipe(calls)
        rows = cooked.rows(recipe)
        texts = {tag: texts_of(selection.corpus.id, tag, tuple(workspaces())).get(sentence, "") for tag in tags}
    st.caption(READING)
    for model in selection.shown:
        _of_model(model, rows[rows["checkpoint"] == model.checkpoints[-1].fingerprint], texts)
    figure.beside(name=f"Pieces of sentence {sentence}", data=rows, card=cards.PIECES, recipe=recipe)


def _choose(selection: Selection, ids: list[str]) -> tuple[str, list[str]]:
    """Draw the boxes; return the sentence and the languages, in the order chosen."""
    every = list(selection.languages)
    told = "en" if "en" in every else every[0]
    texts = texts_of(selection.corpus.id, told, tuple(workspaces()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sentence = select("Sentence", ids, "sentence", width=420, named=lambda known: _short(known, texts.get(known, "")))
        chosen = st.multiselect(
            "Languages shown",
            every,
            default=[],
            format_func=language_name,
            key="shown",
            bind="query-params",
            placeholder=f"The first {min(AT_FIRST, len(every))}",
        )
    first = [told, *(tag for tag in every if tag != told)][:AT_FIRST]
    return sentence, list(chosen) or first


def _short(known: str, text: str) -> str:
    return f"{known}: {text[:SHORT]}{'…' if len(text) > SHORT else ''}"


def _of_model(model: Model, rows: pd.DataFrame, texts: dict[str, str]) -> None:
    """Draw a sentence in each language as one tokeniser cuts it."""
    st.markdown(f"**{verbatim(model.name)}**")
    with st.container(border=True):
        for tag, text in texts.items():
            own = rows[rows["language"] == tag]
            name = language(tag).name
            st.html(
                '<div style="display:flex;gap:1rem;align-items:baseline">'
                f'<span style="flex:0 0 7.5rem;opacity:.75;font-size:.85em">{escape(name)}<br>{count(len(own), "piece")}</span>'
                f'<span lang="{escape(tag)}" dir="{language(tag).direction}" '
                f'style="flex:1;unicode-bidi:isolate;text-align:start;line-height:1.9">{marked(text, own)}</span></div>'
            )


def marked(text: str, pieces: pd.DataFrame) -> str:
    """Return a text as HTML, each of its `pieces` (start, end, unknown) marked; those that share characters as one, counted."""
    shown, at, turn = "", 0, 0
    places = zip(pieces["start"].tolist(), pieces["end"].tolist(), pieces["unknown"].tolist(), strict=True)
    for (start, end), together in groupby(sorted(places), lambda place: place[:2]):
        own, begins = list(together), max(start, at)  # of an overlap the first counts
        if end <= begins:
            continue
        style = PIECE.format(colour=COLOURS[turn % 2]) + (UNKNOWN if any(unknown for *_, unknown in own) else "")
        times = f'<sup style="font-size:.65em">{len(own)}</sup>' if len(own) > 1 else ""
        shown += f'{escape(text[at:begins])}<span style="{style}">{escape(text[begins:end])}{times}</span>'
        at, turn = end, turn + 1
    return shown + escape(text[at:])
