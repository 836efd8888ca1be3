"""How many word pairs each source gives in all sentences, beside the paper's two numbers (Gaschi et al. 2022, section V-B)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment.printed import tables as printed
from isogloss.backend.experiments.alignment.words import pair_counts
from isogloss.backend.experiments.alignment.words.pair_counts import PairCountsSpec
from isogloss.backend.figures import alignment as figures
from isogloss.pages.alignment.cards import SOURCES
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import workspaces


def draw(selection: Selection, pair: tuple[str, str], kept: Sequence[AlignmentEntry], *, paper: bool) -> None:
    """Draw the table of the pair's sources, where any alignment is kept beside its dictionary, or offer to count."""
    dictionary_pair = selection.dictionary_pair(pair)
    if not kept:
        return
    spec = PairCountsSpec(
        corpus=selection.corpus.id,
        pair=dictionary_pair,
        others=tuple(each.id for each in kept if each.id != dictionary_pair.dictionary),
        unique="source" if selection.options["unique"] == "source" else "both",
    )
    load = partial(pair_counts.load, spec=spec, workspaces=workspaces())
    counted = compute.loaded(load, spec, f"How many word pairs of {pair[0]} and {pair[1]} there are is not counted yet.")
    if counted is None:
        return
    names = {each.id: each.name for each in kept} | {dictionary_pair.dictionary: selection.dictionaries[pair].name}
    named = partial(alignment_frames.name_sources, names=names)
    rows = in_cells(named(counted))
    rows = pd.concat([rows, of_paper()], ignore_index=True) if paper else rows
    numbers = {"A sentence": st.column_config.NumberColumn(format="%.2f")}
    alt = "Number of word pairs of each source"
    st.dataframe(rows, hide_index=True, key="sources-counts", placeholder="–", column_config=numbers, alt=alt)
    st.caption(
        "Word pairs in all sentences that both languages have. Pairs: every occurrence; distinct: the same two words once; "
        "a sentence: pairs a pair of sentences. "
        + ("" if paper else f"{printed.PAPER}, 10,000 sentences of WMT19: 50,590 by a dictionary, 190,665 by FastAlign.")
    )
    figure.beside(
        name=f"Number of word pairs {pair[0]} {pair[1]}", data=named(counted), card=SOURCES, recipe=Recipe((load, named))
    )


def in_cells(counted: pd.DataFrame) -> pd.DataFrame:
    """Return one row a source."""
    return pd.DataFrame(
        {
            "Source": counted["kind"].map(figures.SOURCES) + " · " + counted["name"],
            "Pairs": counted["pairs"],
            "Distinct": counted["distinct"],
            "Sentences": counted["sentences"],
            "A sentence": counted["pairs"] / counted["sentences"].clip(lower=1),
        }
    )


def of_paper() -> pd.DataFrame:
    """Return the paper's two numbers, English and German."""
    found = printed.pair_counts()
    source = found["method"].str.capitalize().where(found["method"] != "FastAlign", "FastAlign") + f" ({printed.PAPER})"
    rows = {"Source": source, "Pairs": found["pairs"], "Sentences": found["sentences"]}
    return pd.DataFrame(rows | {"A sentence": found["pairs"] / found["sentences"]})
