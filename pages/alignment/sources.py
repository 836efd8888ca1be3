"""Where word pairs come from, and how many of each source are right by a gold alignment (Gaschi et al. 2022, table II)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.word_alignments.library import AlignmentEntry
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment.printed import tables as printed
from isogloss.backend.experiments.alignment.words import pair_precision
from isogloss.backend.experiments.alignment.words.pair_precision import PairPrecisionSpec
from isogloss.backend.experiments.words import count
from isogloss.backend.figures import alignment as figures
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.alignment import source_counts
from isogloss.pages.alignment.cards import SOURCES
from isogloss.pages.alignment.selection import Selection, kept_alignments, pair_of
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import workspaces

COLUMNS = ["kind", "id", "name", "layer", "pairs", "precision"]
"""Of the curve."""
SHARES = {"precision": "Precision", "recall": "Recall", "alignment_error_rate": "AER"}
SETTING = "Other sentences, dictionaries and gold links: to be laid beside, not compared digit by digit."


def draw(selection: Selection) -> None:
    """Draw the sources of one pair judged by the gold alignment chosen, or offer to compute that."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
        pair = sorted_pair(selection)
        kept = kept_alignments(selection, pair)
        gold = _gold(kept)
        about = f"{printed.PAPER}, table II. {SETTING}"
        paper = gold is not None and st.toggle("The paper's numbers", key="paper", bind="query-params", help=about)
    if gold is None:
        _lacking(pair)
    else:
        _judged(selection, model, checkpoint, pair, kept, gold, paper=paper)
    source_counts.draw(selection, pair, kept, paper=paper)


def _judged(
    selection: Selection,
    model: Model,
    checkpoint: Checkpoint,
    pair: tuple[str, str],
    kept: list[AlignmentEntry],
    gold: AlignmentEntry,
    *,
    paper: bool,
) -> None:
    """Draw the sources judged by gold, or offer to compute that."""
    spec = PairPrecisionSpec(
        checkpoint=checkpoint,
        corpus=selection.corpus.id,
        pair=selection.dictionary_pair(pair),
        gold=gold.id,
        others=tuple(each.id for each in kept if each.id != gold.id),
        unique="source" if selection.options["unique"] == "source" else "both",
        prefix=prefixes.at(selection.prefixes, [checkpoint]),
    )
    load = partial(pair_precision.load, spec=spec, workspaces=workspaces())
    sentence = f"The sources of word pairs of {pair[0]} and {pair[1]} are not judged by this gold alignment yet."
    judged = compute.loaded(load, spec, sentence)
    if judged is None:
        return
    names = {each.id: each.name for each in kept}
    names |= {spec.pair.dictionary: selection.dictionaries[pair].name, checkpoint.fingerprint: model.name}
    named = partial(alignment_frames.name_sources, names=names)
    judged = named(judged)
    name = f"{model.name} {checkpoint.label} {pair[0]} {pair[1]} by {gold.name}"
    _table(judged, Recipe((load, named)), name, paper=paper)
    _curve(selection, judged, Recipe((load, partial(named, columns=COLUMNS))), name)


def sorted_pair(selection: Selection) -> tuple[str, str]:
    """Return the pair chosen, in the order of `selection.pairs`: precision has no direction."""
    first, second = sorted(pair_of(selection))
    return first, second


def _gold(kept: list[AlignmentEntry]) -> AlignmentEntry | None:
    """Return the gold alignment chosen; None where none is kept."""
    named = unique_names([each for each in kept if each.gold])
    if not named:
        return None
    return named[select("Gold alignment", list(named), "gold", width=240)]


def _lacking(pair: tuple[str, str]) -> None:
    names = " and ".join(language(tag).name for tag in pair)
    st.info(
        f"Add a gold word alignment of {names} for this corpus to evaluate the sources of word pairs.",
        icon=":material/rule:",
    )
    navigation.to_library("Add an alignment", "Alignments")


def _table(judged: pd.DataFrame, python: Recipe, name: str, *, paper: bool) -> None:
    own, beside = st.columns([3, 2]) if paper else (st.container(), None)
    with own:
        shown = in_cells(judged)
        formats, alt = _formats(SHARES.values(), 225 if paper else None), "Sources of word pairs by gold"
        st.dataframe(shown, hide_index=True, key="sources-table", placeholder="–", column_config=formats, alt=alt)
        sentences, links = (int(judged[name].iloc[0]) for name in ("sentences", "sure_links"))
        st.caption(
            "Percent; precision and recall: higher = better, AER (alignment error rate): lower = better. Model: words that are "
            "each other's nearest. All pairs, with repetition, in the "
            f"{count(sentences, 'sentence')} with a gold link ({count(links, 'sure one')})."
        )
    if beside is not None:
        with beside:
            theirs = of_paper()
            formats = _formats(theirs.columns[1:], 135)
            alt = "The paper's precision of two sources"
            st.dataframe(theirs, hide_index=True, key="sources-paper", column_config=formats, alt=alt)
            st.caption(f"{printed.PAPER}, table II: precision, percent, higher = better. {SETTING}")
    figure.beside(name=f"Sources of word pairs {name}", data=judged, card=SOURCES, recipe=python)


def _formats(columns: Iterable[str], names: int | None) -> dict[str, Any]:
    """Percent with one decimal; `names` are so wide (in pixels), or as wide as there is room."""
    numbers = st.column_config.NumberColumn(format="%.1f", width=60 if names else None)
    return {"Source": st.column_config.TextColumn(width=names)} | dict.fromkeys(columns, numbers)


def in_cells(found: pd.DataFrame) -> pd.DataFrame:
    """Return one row per source, in percent."""
    named = found["name"].where(found["layer"].isna(), "layer " + found["layer"].astype("Int64").astype(str))
    shown = found.assign(
        source=found["kind"].map(figures.SOURCES) + " · " + named, **{name: 100 * found[name] for name in SHARES}
    )
    columns = {"source": "Source", "pairs": "Pairs"} | SHARES
    return shown[list(columns)].rename(columns=columns)


def of_paper() -> pd.DataFrame:
    """Table II as it is printed."""
    found = printed.pair_precision()
    found["method"] = found["method"].str.replace("bilingual", "Bilingual", regex=False)
    return found.rename(columns={"method": "Source"})


def _curve(selection: Selection, found: pd.DataFrame, python: Recipe, name: str) -> None:
    figure.show(
        partial(figures.precision, colours=selection.colours),
        name=f"Precision of word pairs {name}",
        data=found[COLUMNS],
        card=SOURCES,
        recipe=python,
        alt="Precision of the model's word pairs by layer, with the dictionary's and the alignments'",
    )
