"""Everything that can be said of the chosen corpora before any training, a row each, and what should make one careful."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import argument
from isogloss.backend.experiments.emergent import frames as emergent_frames
from isogloss.backend.experiments.words import count, several
from isogloss.pages.emergent.corpora import frames
from isogloss.pages.emergent.shared.cards import OVERVIEW
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.lists import paging
from isogloss.pages.widgets.words import verbatim

Number = st.column_config.NumberColumn
COLUMNS = {
    "corpus": st.column_config.TextColumn("Corpus", pinned=True),
    "tokens": Number("Tokens", format="localized", help="XferBench trains on 15 million, repeating fewer."),
    "utterances": Number("Utterances", format="localized", help="How many."),
    "unique": Number(
        "Unique", format="percent", help="Unique utterances, percent of all. It falls as a corpus grows: compare equal sizes."
    ),
    "vocabulary": Number("Symbols", format="localized", help="Types: the symbols that occur. They grow with the corpus."),
    "mean_length": Number("Length", format="%.1f", help="Mean tokens per utterance."),
    "entropy": Number(
        "Entropy",
        format="%.2f",
        help="Bits per symbol, at most log₂ of the types. Plug-in estimate: too low, by 0.1 at 7 tokens per type.",
    ),
    "corrected": Number(
        "Cond. entropy",
        format="%.2f",
        help="Bits per symbol when the one before is known, corrected by what neighbours share in the shuffled corpus. "
        "The more it is below the entropy, the more order there is.",
    ),
    "information": Number(
        "Excess MI",
        format="%.3f",
        help="Mutual information of neighbours in bits, minus that of the shuffled corpus. About 0: no order between them.",
    ),
    "alpha": Number(
        "Zipf α",
        format="%.2f",
        help="Slope of the Zipf–Mandelbrot law; words of human languages: near 1. Too low where most types occur once or "
        "twice. –: no power law.",
    ),
    "beta": Number(
        "Zipf β", format="%.2f", help="Shift of the Zipf–Mandelbrot law, in ranks: how flat its top is. –: no power law."
    ),
    "bits_per_token": Number(
        "Bits per token (compressor)",
        format="%.2f",
        help="Bits per token after zlib, ends of utterances included. Lower: more order. Of small corpora too high.",
    ),
}
MEASURED = {
    "topographic_similarity": Number(
        "Topographic sim.",
        format="%.2f",
        help="Spearman's ρ of differences in meaning with edits between utterances, from −1 to 1; higher: similar meanings "
        "have similar utterances. –: no meanings, or not defined.",
    ),
    "posdis": Number(
        "Posdis",
        format="%.2f",
        help="Positional disentanglement, from 0 to 1; higher: each position speaks of one attribute. See Meanings for what "
        "chance gives.",
    ),
    "bosdis": Number(
        "Bosdis",
        format="%.2f",
        help="Bag-of-symbols disentanglement, from 0 to 1; higher: each symbol speaks of one attribute, wherever it stands.",
    ),
}
"""Of corpora with meanings, before the entropies; no columns where none has any."""
NOT_SHOWN = ("ratio", "conditional")
"""In the exports alone: the first depends on how many bytes a symbol takes, the second is too low for want of tokens."""

PAGE = 12
"""Corpora whose warnings are seen at once."""


def draw(selection: Selection) -> None:
    """Draw the table of statistics, and warn of corpora that call for care."""
    measured = any(entry.meanings_id for entry in selection.corpora.values())
    measures = {"measures": argument(frames.measures(selection.ids))} if measured else {}
    recipe = frames.recipe(selection, partial(emergent_frames.overview, **measures))
    data = cooked.rows(recipe)
    st.dataframe(
        data.drop(columns=list(NOT_SHOWN)),
        hide_index=True,
        column_config=COLUMNS | MEASURED,
        column_order=[name for each in COLUMNS for name in ([*MEASURED] if each == "entropy" else []) + [each]],
        key="overview",
        placeholder="–",
        alt="Statistics of the chosen corpora, a row each",
    )
    _no_law(data)
    figure.beside(name="Corpora in numbers", card=OVERVIEW, recipe=recipe)
    _warnings(selection, emergent_frames.warnings(frames.statistics_of_corpora(selection)))


def _no_law(data: pd.DataFrame) -> None:
    """Which corpora have no α, and that this is a finding."""
    names = [verbatim(name) for name in data["corpus"][data["alpha"].isna()]]
    if names:
        st.caption(f"No power law fits {several(names)}: α and β are left out (see Rank–frequency).")
    if short := [verbatim(name) for name in data["corpus"][data["corrected"].isna()]]:
        st.caption(f"No utterance of {several(short)} has two symbols: neighbours say nothing (–).")


def _warnings(selection: Selection, warnings: pd.DataFrame) -> None:
    """Draw one card per corpus that calls for care."""
    if warnings.empty:
        st.caption(":material/check_circle: Nothing about these corpora calls for special care.")
        return
    careful = warnings["corpus"].nunique()
    st.markdown(f"**Warnings** · {careful} of {count(len(selection.corpora), 'corpus', 'corpora')}")
    where, on_page = paging.paged(careful, PAGE)
    columns = where.columns(2)
    for place, (name, own) in enumerate([*warnings.groupby("corpus", sort=False)][on_page]):
        with columns[place % 2].container(border=True):
            st.markdown(f":material/warning: **{verbatim(str(name))}**")
            st.markdown("\n".join(f"- {verbatim(message)}" for message in own["message"]))
