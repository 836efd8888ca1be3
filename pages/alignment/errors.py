"""What goes wrong: the word retrieved instead of the translation, with the sentences (Gaschi et al. 2022, table V)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment.printed import tables as printed
from isogloss.backend.experiments.alignment.words import errors as word_errors
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair
from isogloss.backend.experiments.gloss import with_gloss
from isogloss.backend.experiments.sentence_notes import Subject, sentence, with_notes, word_pair
from isogloss.backend.experiments.words import count
from isogloss.backend.metrics.retrieval.options import FORMULAS, SIMILARITIES
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.option import within_sentence
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.frames import choose_measure
from isogloss.pages.alignment.selection import Selection, pair_of
from isogloss.pages.widgets.choosing import prefixes, seeds
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.lists import category, gloss, lines, paging, sentence_notes
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import guard, workspaces

GLOSSES = {"sentence_id": "gloss", "retrieved_sentence_id": "retrieved_gloss"}
NOTED = {"sentence_id": "", "retrieved_sentence_id": "retrieved_sentence_"}
"""What the columns of sentences' notes begin with."""
PAGE = 8
"""Rows at once: each has three sentences."""
SORTS = {
    "Rank of the right word": (["rank", "word"], [False, True]),
    "Most confident": (["margin", "word"], [True, True]),
    "Word": (["word", "rank"], [True, False]),
    "Retrieved word": (["retrieved_word", "word"], [True, True]),
}
SHOWN = {"errors": "Errors", "all": "All words", "sorted": "With a category"}


def draw(selection: Selection) -> None:
    """Draw the words of one checkpoint, layer and pair with what each retrieves, or offer to compute them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
        layer = layer_of(model, "at")
        source, target = pair_of(selection)
        measure = choose_measure()
        third = gloss.choose(selection.corpus.tags, (source, target), parallel=not selection.corpus.names_only)
        noted = sentence_notes.known(selection.corpus.id)
        tag = sentence_notes.choose(noted)
    spec = _spec(selection, checkpoint, layer, (source, target), measure)
    load = partial(word_errors.load, spec=spec, workspaces=workspaces())
    categorised = partial(alignment_frames.with_categories, spec=spec, workspaces=workspaces())
    glossed = partial(with_gloss, corpus=spec.corpus, language=third, of=GLOSSES, workspaces=workspaces())
    names = language(source).name, language(target).name
    sentence = f"What {names[0]} words retrieve in {names[1]} at layer {layer} is not computed yet."
    retrieved = compute.loaded(load, spec, sentence)
    if retrieved is None:
        return
    words = {"word_pair_": ((source, "word"), (target, "right_word"))}
    annotated = partial(with_notes, corpus=spec.corpus, of=NOTED, words=words, tag=tag, workspaces=workspaces())
    wrong, total = int((retrieved["rank"] > 1).sum()), len(retrieved)
    with guard():
        data = annotated(glossed(categorised(retrieved)))
    retrieved = data.assign(key=pd.Series(word_errors.keys(spec, data), index=data.index))
    seeds.tell_one(model, selection.models)
    st.markdown(f"{count(wrong, 'error')} in {count(total, 'word')}: accuracy **{1 - wrong / total:.3f}**, first run.")
    _table(spec, retrieved, third, noted)
    figure.beside(
        name=f"Errors {model.name} {checkpoint.label} layer {layer} {source} {target} {measure}",
        data=data,
        card=card(selection),
        recipe=Recipe((load, categorised, *([glossed] if third else []), annotated)),
    )


def _spec(selection: Selection, checkpoint: Checkpoint, layer: int, ends: tuple[str, str], measure: str) -> WordErrorsSpec:
    pair = tuple(sorted(ends))
    dictionary = selection.dictionaries[pair[0], pair[1]].id
    options = {name: value for name, value in selection.options.items() if name not in ("runs", "self_neighbour")}
    return WordErrorsSpec(
        checkpoint=checkpoint,
        corpus=selection.corpus.id,
        pair=DictionaryPair(source=ends[0], target=ends[1], dictionary=dictionary),
        layer=layer,
        task=selection.strong if measure == "strong" else "weak",
        prefix=prefixes.at(selection.prefixes, [checkpoint]),
        vector=selection.vector([checkpoint]),
        **options,
    )


def _table(spec: WordErrorsSpec, retrieved: pd.DataFrame, third: str | None, noted: sentence_notes.Known) -> None:
    """Draw a filter, an order, and the retrieval errors page by page, with glosses in the language `third`."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = segments("Show", SHOWN, "shown", "errors")
        sort = st.selectbox("Sort by", list(SORTS), key="sort", bind="query-params", width=220)
        wanted = st.text_input("Filter", key="filter", bind="query-params", placeholder="A word or category", width=220)
    rows = filter_errors(retrieved, shown or "errors", wanted)
    columns, rising = SORTS[sort]
    rows = rows.sort_values(columns, ascending=rising, kind="stable")
    if rows.empty:
        st.info("No row fits. Clear the filter or show all words.", icon=":material/filter_alt_off:")
        return
    st.caption(
        f"{count(len(rows), 'row')}. Each word in its sentence, its translation, and what was retrieved. Similarity: "
        f"{within_sentence(SIMILARITIES[spec.similarity])}, ${FORMULAS[spec.similarity]}$ (higher = nearer)."
    )
    names = sorted({*retrieved["category"], *printed.errors()["error_category"]} - {""})
    where, on_page = paging.paged(len(rows), PAGE)
    for place, (_, row) in enumerate(rows.iloc[on_page].iterrows()):
        with where:
            _row(spec, row, names, third, noted, place)


def filter_errors(found: pd.DataFrame, shown: str, wanted: str) -> pd.DataFrame:
    """Return the rows of a kind whose words or category hold `wanted`, whatever its case."""
    rows = {"errors": found[found["rank"] > 1], "all": found}.get(shown, found[found["category"] != ""])
    if not (text := wanted.strip().casefold()):
        return rows
    columns = rows[["word", "right_word", "retrieved_word", "category"]]
    holds: pd.DataFrame = columns.apply(lambda column: column.str.casefold().str.contains(text, regex=False))
    return rows[holds.any(axis=1)]


def _subjects(spec: WordErrorsSpec, row: pd.Series) -> dict[str, Subject]:
    """Return what of a row notes are on."""
    subjects = {
        "Word pair": word_pair(spec.corpus, (spec.pair.source, row["word"]), (spec.pair.target, row["right_word"])),
        "Sentence": sentence(spec.corpus, row["sentence_id"]),
    }
    if row["rank"] > 1 and row["retrieved_sentence_id"] != row["sentence_id"]:
        subjects["Sentence retrieved"] = sentence(spec.corpus, row["retrieved_sentence_id"])
    return subjects


def _row(
    spec: WordErrorsSpec, row: pd.Series, names: list[str], third: str | None, noted: sentence_notes.Known, place: int
) -> None:
    source, target = spec.pair.source, spec.pair.target
    with st.container(border=True):
        lines.line(row["sentence"], source, row["word"], mark=(row["start"], row["end"]))
        lines.gloss(row["gloss"] if third else "", third or source)
        note = f"{row['right_word']} · {row['right_similarity']:.3f} · rank {row['rank']:,}"
        lines.line(row["right_sentence"], target, note, mark=(row["right_start"], row["right_end"]))
        if row["rank"] > 1:
            note = f"retrieved: {row['retrieved_word']} · {row['similarity']:.3f}"
            tag = source if row["same_language"] else target
            lines.line(row["retrieved_sentence"], tag, note, mark=(row["retrieved_start"], row["retrieved_end"]))
            if row["retrieved_sentence_id"] != row["sentence_id"]:
                lines.gloss(row["retrieved_gloss"] if third else "", third or source)
        box = partial(category.box, row["key"], row["category"], names) if row["rank"] > 1 else None
        sentence_notes.below(_subjects(spec, row), noted, place, box)
