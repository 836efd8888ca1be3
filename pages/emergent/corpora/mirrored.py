"""How the chosen corpora mirror what their utterances mean, where that is known: measures with intervals, beside chance."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.emergent.meanings import DISTANCES, MEASURES
from isogloss.backend.figures.emergent import corpora as figures
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.shared.cards import MEANINGS
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

VIEW = "Meanings"
"""What the page calls this view."""


def draw(selection: Selection) -> None:
    """Draw topographic similarity and disentanglement of the chosen corpora that have meanings."""
    told = {name: entry.id for name, entry in selection.corpora.items() if entry.meanings_id}
    if not told:
        st.info(
            "None of these corpora has meanings. Add one with the columns, or the file, that say what its utterances mean.",
            icon=":material/info:",
        )
        navigation.to_library("Add a corpus", "Emergent")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = segments(
            "Distance of meanings",
            list(DISTANCES.values()),
            "distance",
            DISTANCES["hamming"],
            help_="For topographic similarity. Euclidean and cosine are of numbers, as they are.",
        )
        normalised = st.toggle(
            "Normalise edits",
            key="normalised",
            bind="query-params",
            help="Divide an edit distance by the length of the longer utterance.",
        )
    distance = next(each for each, name in DISTANCES.items() if name == shown)
    recipe = Recipe((frames.measures(told, distance, normalised=normalised),))
    figure.draw(
        recipe.with_chart(partial(figures.measures, colours=selection.colours)),
        name="Meanings and messages",
        card=MEANINGS,
        alt="Topographic similarity and disentanglement of the corpora, each with its interval and what chance gives",
    )
    rows = cooked.rows(recipe)
    for measure, name in MEASURES.items():
        lacking = rows["corpus"][(rows["measure"] == measure) & rows["value"].isna()]
        if len(lacking):
            st.caption(f"{name} is not defined for {', '.join(map(verbatim, lacking))}: {WHY[measure]}.")
    if bare := [verbatim(name) for name in selection.corpora if name not in told]:
        st.caption(f"Without meanings: {', '.join(bare)}.")


WHY = {
    "topographic_similarity": "all distances are equal, or its meanings are not all numbers",
    "posdis": "it takes two attributes, and positions that vary",
    "bosdis": "it takes two attributes, and symbols that vary",
}
