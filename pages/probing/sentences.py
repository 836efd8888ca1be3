"""The sentences behind wrong tags: each word told wrongly, marked in its sentence, with the right tag and the told one."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.tagged.corpus import TaggedSentence
from isogloss.backend.corpora.tasks.task import Examples
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.probing.texts import Spec, tested, with_texts
from isogloss.backend.experiments.sentence_notes import sentence, with_notes
from isogloss.backend.experiments.words import count
from isogloss.pages.probing.cards import CONFUSION
from isogloss.pages.probing.selection import Selection
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.lists import gloss, lines, paging, sentence_notes
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

PAGE = 8
"""Sentences at once."""


def draw(selection: Selection, spec: Spec, target: str, wrong: pd.DataFrame, recipe: Recipe, title: str) -> None:
    """Draw the sentences of `wrong` (sentence, word, right, told) a page at a time, in the corpus' order.

    `recipe` gives these rows; `title` says of what they are.
    """
    if wrong.empty:
        st.success(f"No {selection.data.rows} of this cell were misclassified.", icon=":material/check_circle:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        third = gloss.choose(selection.tested.languages, (target,), parallel=selection.tested.parallel)
        corpus = spec.tested or spec.corpus
        noted = sentence_notes.known(corpus)
        tag = sentence_notes.choose(noted)
    annotated = partial(with_notes, corpus=corpus, of={"sentence_id": ""}, tag=tag, workspaces=workspaces())
    step = partial(with_texts, spec=spec, target=target, gloss=third, workspaces=workspaces())
    try:
        texts, data = tested(spec, target, workspaces()), annotated(step(wrong))
    except IsoglossError as error:
        st.info(f"The sentences are not in this workspace: {verbatim(str(error))}", icon=":material/info:")
        return
    if data.empty:
        st.info("No sentence of this cell has this tag.", icon=":material/filter_alt_off:")
    numbers = list(dict.fromkeys(data["sentence"].tolist()))
    what = "sentence pair" if selection.data.pairs else "sentence"
    words = f"{count(len(data), 'word')} in " if selection.data.unit == "words" else ""
    st.caption(f"{words}{count(len(numbers), what)}. Gold → predicted.")
    where, on_page = paging.paged(len(numbers), PAGE)
    for number in numbers[on_page]:
        rows = data[data["sentence"] == number]
        with where, st.container(border=True):
            if isinstance(texts, Examples):
                _example(texts, number, rows.iloc[0], target)
            else:
                _sentence(texts[number], rows, target)
            if third:
                lines.gloss(rows["gloss"].iloc[0], third)
            sentence_notes.below({"Sentence": sentence(corpus, rows["sentence_id"].iloc[0])}, noted, number)
    figure.beside(name=f"Misclassified {title}", data=data, card=CONFUSION, recipe=recipe.then(step, annotated))


def _sentence(sentence: TaggedSentence, wrong: pd.DataFrame, tag: str) -> None:
    """The sentence with its wrong words marked, and each of them with its tags below."""
    places = [int(word) for word in wrong["word"]]
    lines.line(sentence.text, tag, None, marks=[sentence.spans[place] for place in places])
    told = zip(places, wrong["right"], wrong["told"], strict=True)
    lines.words([(sentence.words[place], f"{right} → {said}") for place, right, said in told], tag)


def _example(examples: Examples, number: int, row: pd.Series, tag: str) -> None:
    """The sentence, or the pair, with its labels."""
    note = f"{row['right']} → {row['told']}"
    lines.line(examples.texts[number], tag, note)
    if examples.pairs is not None:
        lines.line(examples.pairs[number], tag)
