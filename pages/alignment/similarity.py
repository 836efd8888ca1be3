"""Cosine of translated against random sentence pairs over the layers, by mean of tokens and by first token (figure 4)."""

from __future__ import annotations

from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.figures import alignment as figures
from isogloss.backend.figures.alignment import COSINES
from isogloss.backend.models.entry import POOLINGS
from isogloss.backend.option import within_sentence
from isogloss.pages.alignment import frames
from isogloss.pages.alignment.cards import SIMILARITY
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.figures import cooked, figure

Of = Literal["cosine", "overlap_random"]


def draw(selection: Selection) -> None:
    """Draw the mean cosines of one checkpoint by layer, and the overlap of the two kinds of pairs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
    spec = selection.spec(model, [checkpoint])
    assert isinstance(spec, SentenceAlignmentSpec)
    variants = {spec.variant(pooling): within_sentence(POOLINGS[pooling]) for pooling in spec.poolings}
    asked = partial(frames.recipe, selection, alignment_queries.grid, of=[(model, checkpoint)], variants=list(variants))
    if cooked.rows(asked(measures=[*COSINES, "overlap_random"])).empty:
        frames.say_empty(selection)
        return
    steps = [partial(alignment_frames.name_vectors, vectors=variants, kinds=COSINES), partial(alignment_frames.kinds_as_models)]
    drawn: list[tuple[Of, list[str], list[partial[pd.DataFrame]]]] = [
        ("cosine", list(COSINES), steps),
        ("overlap_random", ["overlap_random"], steps[:1]),
    ]
    for of, wanted, own in drawn:
        _figure(selection, f"{model.name} {checkpoint.label}", of, asked(*own, measures=wanted))


def _figure(selection: Selection, name: str, of: Of, recipe: Recipe) -> None:
    heading, _ = figures.SIMILARITY[of]
    colours = None if of == "cosine" else selection.colours
    drawn = partial(figures.similarity, of=of, colours=colours)
    figure.draw(recipe.with_chart(drawn), name=f"{heading} of sentences {name}", card=SIMILARITY, alt=f"{heading} by layer")
