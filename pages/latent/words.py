"""The words behind a point: what one layer tells of each, and what every layer tells of one."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.latent import told
from isogloss.backend.figures import latent as figures
from isogloss.pages.latent import cards
from isogloss.pages.latent.selection import Selection
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.workspace import guard, workspaces


def draw(selection: Selection) -> None:
    """Draw the table of words at one layer, those with most of the language chosen first, and the curve of one of them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = selection.target()
        model, checkpoint = checkpoint_of(selection, "word")
        layer = layer_of(model, "word")
        tags = list(selection.languages)
        tag = select("Most of", tags, "word_language", width=190, index=tags.index(selection.pivot), named=language_name)
    shards = selection.shards([checkpoint])
    layers = list(range(model.layers + 1))
    kept = {each.language: each.dictionary for each in selection.dictionaries}
    every = Recipe(
        (
            partial(told.told, workspaces=workspaces(), shards=shards, target=target, layers=layers),
            partial(told.with_words, pivot=selection.pivot, kept=kept, asked=selection.source, workspaces=workspaces()),
        )
    )
    at_layer = every.then(partial(rows_with, layer=[layer]))
    with guard():
        rows = cooked.rows(at_layer)
        if rows.empty:
            st.info("What the layers told of each word is not here: compute it again.", icon=":material/info:")
            return
        table = by_word(rows, tag, selection.pivot)
        title = f"{model.name} {checkpoint.label} layer {layer} answers in {target}"
        _table(table, selection, tag)
        figure.beside(name=f"Words {title}", data=rows, card=cards.MASS, recipe=at_layer)
        labels = {
            number: f"{given} → {answer}"
            for number, given, answer in table[["word", "given", "answer"]].itertuples(index=False)
        }
        word = select("Word", list(labels), "one_word", width=300, named=lambda number: labels[number])
        said = labels[word]
        figure.draw(
            every.then(partial(rows_with, word=[word])).with_chart(
                partial(figures.one_word, title=f"{said}, by layer", **selection.roles(target))
            ),
            name=f"Word {word} {title}",
            card=cards.MASS,
            alt=f"Probability of one word in each language by layer: {said}",
        )


def by_word(rows: pd.DataFrame, tag: str, pivot: str) -> pd.DataFrame:
    """Return a row a word, that with most of the language `tag` first: its forms, what is likeliest, each language's mass."""
    masses = rows.pivot(index="word", columns="language", values="mass")
    of_word = rows.drop_duplicates("word").set_index("word")[["given", "answer", "top", "top_probability"]]
    meant = rows[rows["language"] == pivot].set_index("word")["said"].rename("meant")
    return of_word.join(meant).join(masses).sort_values([tag, "given"], ascending=[False, True], kind="stable").reset_index()


def _table(table: pd.DataFrame, selection: Selection, tag: str) -> None:
    columns: dict[str, Any] = {
        "given": "Asked",
        "answer": "Answer",
        "meant": f"In {name_of(selection.pivot)}",
        "top": "Likeliest token",
        "top_probability": st.column_config.NumberColumn("Its probability", format="%.3f"),
        **{each: st.column_config.NumberColumn(name_of(each), format="%.4f") for each in selection.languages},
    }
    shown = ["given", "answer", "meant", "top", "top_probability", tag, *(each for each in selection.languages if each != tag)]
    st.dataframe(
        table[shown], hide_index=True, key="latent-words", alt="Words and what the layer tells of them", column_config=columns
    )
