"""Entropy of the chosen corpora by n-gram order, alone or beside shuffled versions: what of their regularity lies in order."""

from __future__ import annotations

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.boards.recipe import argument
from isogloss.backend.experiments.emergent import frames as emergent_frames
from isogloss.backend.experiments.emergent.statistics import Shuffle
from isogloss.backend.experiments.words import several
from isogloss.backend.figures.emergent import corpora as figures
from isogloss.backend.metrics.corpus.bias import ENOUGH
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.shared import cards
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

SHUFFLES: dict[str, Shuffle] = {"Over the corpus": "over", "Within utterances": "within"}
ESTIMATE_HELP = (
    "The plug-in estimate is too low where n-grams are few for how many are possible. Miller–Madow adds (K − 1) / (2 N ln 2) "
    "bits, K different ones of N."
)


def draw(selection: Selection) -> None:
    """Draw entropy (bits) by n-gram order: of the whole n-gram, or of its last symbol when the others are known."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entropy = segments(
            "Entropy",
            list(figures.ENTROPIES),
            "entropy",
            "Conditional",
            help_="Conditional: of the last symbol when those before are known. Joint: of the whole n-gram.",
        )
        options = more.view_options()
    with options:
        estimate = segments("Estimate", ["Miller–Madow", "Plug-in"], "estimate", "Miller–Madow", help_=ESTIMATE_HELP)
        beside = st.toggle(
            "Shuffled version",
            key="shuffled",
            bind="query-params",
            help="The same corpus, shuffled: what is left there is not order.",
        )
    corrected = estimate == "Miller–Madow"
    drawn = partial(
        figures.shuffled if beside else figures.entropies, entropy=entropy, corrected=corrected, colours=selection.colours
    )
    if beside:
        _beside_shuffled(selection, drawn)
    else:
        figure.draw(
            frames.recipe(selection, partial(emergent_frames.entropies)).with_chart(drawn),
            name="Entropy by n-gram order",
            card=cards.ENTROPIES,
            alt="Entropy by n-gram order",
        )
    _trusted(cooked.rows(frames.recipe(selection, partial(emergent_frames.entropies))), corrected=corrected)
    if beside:
        st.caption("A line below its shuffled version: order. Both falling together: too few tokens for n-grams of that order.")


def _beside_shuffled(selection: Selection, drawn: partial[go.Figure]) -> None:
    """Draw each corpus and its shuffled version."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = segments(
            "Shuffled",
            list(SHUFFLES),
            "shuffle",
            "Over the corpus",
            help_="Over the corpus: only frequencies stay. Within utterances: what is said stays, how it is ordered goes.",
        )
        seed = int(st.number_input("Seed", 0, 2**31 - 1, 0, key="shuffle_seed", bind="query-params", width=130))
    how = SHUFFLES[named]
    versions = partial(emergent_frames.versions, shuffled=argument(frames.statistics(selection.ids, how, seed)))
    figure.draw(
        frames.recipe(selection, versions).with_chart(drawn),
        name=f"Against a shuffled version, {how}",
        card=cards.SHUFFLED,
        alt="Entropy by n-gram order, of the corpora and of their shuffled versions",
    )


def _trusted(data: pd.DataFrame, *, corrected: bool) -> None:
    """Say from which order on n-grams are too few for these numbers, and which way those are then off."""
    few = data[~data["enough"] & (data["windows"] > 0)].groupby("corpus", sort=False)["order"].min()
    said = several([f"from order {order} in {verbatim(str(name))}" for name, order in few.items()])
    still = "Still too low" if corrected else "Plug-in estimates, too low"
    if said:
        st.caption(f"{still} where an n-gram occurs fewer than {ENOUGH} times on average: {said}.")
