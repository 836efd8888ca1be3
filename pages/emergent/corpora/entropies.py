"""Entropy of the chosen corpora by n-gram order, alone or beside shuffled versions: what of their regularity lies in order."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.experiments.emergent import frames as emergent_frames
from backend.experiments.emergent.statistics import Shuffle
from backend.figures.emergent import corpora as figures
from backend.metrics.corpus.bias import ENOUGH
from pages.emergent.corpora import frames
from pages.emergent.shared import cards
from pages.emergent.shared.controls import segments
from pages.emergent.shared.selection import Selection
from pages.widgets.figures import figure, notebook
from pages.widgets.words import verbatim

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
            "Conditional",
            "entropy",
            help="Conditional: of the last symbol when those before are known. Joint: of the whole n-gram.",
        )
        estimate = segments("Estimate", ["Miller–Madow", "Plug-in"], "Miller–Madow", "estimate", help=ESTIMATE_HELP)
        beside = st.toggle(
            "Shuffled version",
            key="shuffled",
            bind="query-params",
            help="The same corpus, shuffled: what is left there is not order.",
        )
    corrected = estimate == "Miller–Madow"
    if beside:
        data = _beside_shuffled(selection, entropy, corrected=corrected)
    else:
        data = emergent_frames.entropies(frames.statistics_of_corpora(selection))
        figure.show(
            partial(figures.entropies, entropy=entropy, corrected=corrected, colours=frames.colours(selection)),
            name="Entropy by n-gram order",
            data=data,
            card=cards.ENTROPIES,
            recipe=frames.python(selection, partial(emergent_frames.entropies)),
            alt="Entropy by n-gram order",
        )
    _trusted(data[data["version"] == "original"] if beside else data, corrected=corrected)
    if beside:
        st.caption("A line below its shuffled version: order. Both falling together: too few tokens for n-grams of that order.")


def _beside_shuffled(selection: Selection, entropy: figures.Entropy, *, corrected: bool) -> pd.DataFrame:
    """Draw each corpus and its shuffled version; returns the rows drawn."""
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
    data = emergent_frames.versions(frames.statistics_of_corpora(selection), mixed)
    figure.show(
        partial(figures.shuffled, entropy=entropy, corrected=corrected, colours=frames.colours(selection)),
        name=f"Against a shuffled version, {how}",
        data=data,
        card=cards.SHUFFLED,
        recipe=frames.python(
            selection, partial(emergent_frames.versions, shuffled=notebook.argument(frames.statistics(selection, how, seed)))
        ),
        alt="Entropy by n-gram order, of the corpora and of their shuffled versions",
    )
    return data


def _trusted(data: pd.DataFrame, *, corrected: bool) -> None:
    """Say from which order on n-grams are too few for these numbers, and which way those are then off."""
    few = data[~data["enough"] & (data["windows"] > 0)].groupby("corpus", sort=False)["order"].min()
    said = ", ".join(f"from order {order} in {verbatim(str(name))}" for name, order in few.items())
    still = "Still too low" if corrected else "Plug-in estimates, too low"
    if said:
        st.caption(f"{still} where an n-gram occurs fewer than {ENOUGH} times on average: {said}.")
