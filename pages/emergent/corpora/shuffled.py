"""The chosen corpora beside shuffled versions of themselves: what of their regularity lies in order."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.experiments.emergent import frames as emergent_frames
from backend.experiments.emergent.statistics import Shuffle
from backend.figures.emergent import corpora as figures
from pages.emergent.corpora import frames
from pages.emergent.shared.cards import SHUFFLED
from pages.emergent.shared.controls import segments
from pages.emergent.shared.selection import Selection
from pages.widgets import figure, notebook

SHUFFLES: dict[str, Shuffle] = {"Over the corpus": "over", "Within utterances": "within"}


def draw(selection: Selection) -> None:
    """Draw conditional entropy (bits) by n-gram order, of each corpus and of its shuffled version."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = segments(
            "Shuffled",
            list(SHUFFLES),
            "Over the corpus",
            "shuffle",
            help="Over the corpus: only frequencies stay. Within utterances: what is said stays, how it is ordered goes.",
        )
        seed = int(st.number_input("Seed", 0, 2**31 - 1, 0, key="shuffle_seed", bind="query-params", width=130))
    how = SHUFFLES[named or "Over the corpus"]
    mixed = {name: frames.one(entry.id, name, how, seed) for name, entry in selection.corpora.items()}
    data = emergent_frames.versions(frames.of(selection), mixed)
    figure.show(
        partial(figures.shuffled, colours=frames.colours(selection)),
        name=f"Against a shuffled version, {how}",
        data=data,
        card=SHUFFLED,
        recipe=frames.python(
            selection, partial(emergent_frames.versions, shuffled=notebook.argument(frames.statistics(selection, how, seed)))
        ),
        alt="Conditional entropy by n-gram order, of the corpora and of their shuffled versions",
    )
    st.caption("A line below its shuffled version: order. Both falling together: too few tokens for n-grams of that order.")
