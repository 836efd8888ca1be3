"""Cosine of translated against random sentence pairs over the layers, by mean of tokens and by first token (figure 4)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.charts.curves import curves
from backend.charts.parts.theme import colours_of
from backend.experiments.alignment import frames as alignment_frames
from backend.experiments.alignment import queries as alignment_queries
from backend.experiments.alignment.sentences import SentenceAlignmentSpec
from backend.experiments.frames import rows_with
from pages.alignment import frames
from pages.alignment.cards import SIMILARITY
from pages.alignment.selection import Selection
from pages.widgets import figure, notebook
from pages.widgets.checkpoint_box import checkpoint_of

KINDS = {"cosine_translations": "Translations", "cosine_random": "Random pairs"}
VECTORS = {"mean": "mean of tokens", "first": "first token"}
TITLES = {
    "cosine": "Mean cosine (−1 to 1; the gap between the two lines counts)",
    "overlap_random": "Overlap with random pairs (0 to 1; lower = better told apart)",
}


def draw(selection: Selection) -> None:
    """Draw the mean cosines of one checkpoint by layer, and the overlap of the two kinds of pairs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
    spec = selection.spec(model, [checkpoint])
    assert isinstance(spec, SentenceAlignmentSpec)
    variants = {spec.variant(pooling): VECTORS[pooling] for pooling in spec.poolings}
    measures = [*KINDS, "overlap_random"]
    data = frames.labelled(selection, alignment_queries.grid, [checkpoint], measures, list(variants))
    data = data[data["model"] == model.name]
    if data.empty:
        frames.say_empty(selection)
        return
    steps = [partial(alignment_frames.name_vectors, vectors=variants, kinds=KINDS), partial(alignment_frames.kinds_as_models)]
    for title, wanted, own in (("cosine", list(KINDS), steps), ("overlap_random", ["overlap_random"], steps[:1])):
        rows = notebook.apply(rows_with(data, metric=wanted), *own)
        code = frames.python(
            selection, alignment_queries.grid, *own, of=[(model, checkpoint)], measures=wanted, variants=list(variants)
        )
        _figure(selection, f"{model.name} {checkpoint.label}", title, rows, code)


def _figure(selection: Selection, name: str, title: str, rows: pd.DataFrame, code: Recipe) -> None:
    heading = "Similarity" if title == "cosine" else "Overlap"
    drawn = curves(
        rows,
        x="layer",
        value_title=TITLES[title],
        title=heading,
        colours=colours_of(KINDS.values()) if title == "cosine" else colours_of(each.name for each in selection.everything),
        chance=None,
        height=360,
    )
    figure.show(
        drawn, name=f"{heading} of sentences {name}", data=rows, card=SIMILARITY, snippet=code, alt=f"{heading} by layer"
    )
