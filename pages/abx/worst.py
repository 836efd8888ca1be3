"""The pairs of languages in a list beside the matrix, the worst first: a row ticked opens the pair below."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.cards import BOTH
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx.worst import By, worst_first
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

ORDERS: dict[By, str] = {
    "meaning": "Lowest meaning discrimination",
    "language": "Highest language discrimination",
    "change": "Greatest fall of meaning discrimination",
}
HEIGHT = 282
"""Pixels: the head and seven rows, so that the pair below is not far."""
LISTED = 500
"""Pairs in the list at most: nobody reads 20,706, and writing them takes longer than all else on the page."""
SHARE, CHANGE = "%.3f", "%+.3f"


def draw(selection: Selection, group: Group, at: tuple[Model, Checkpoint], layer: int, pair: tuple[str, str]) -> list[str]:
    """Draw the list of the pairs at one layer; returns the pair whose row was ticked now, or nothing.

    Their scores are those of a model's checkpoint (`at`), or the means of the `group` of its seeds.
    """
    model, checkpoint = at
    before = _before(selection, model, checkpoint)
    options = list(ORDERS) if before else [by for by in ORDERS if by != "change"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.header("Worst pairs", anchor="worst")
        by = select("Sort by", options, "worst_by", width=330, named=ORDERS.__getitem__)
    columns = [each for each in (before, checkpoint) if each]
    fingerprints = [each.fingerprint for each in columns]
    of = [pair for each in columns for pair in group.at(each, selection.computed)]
    means = group.steps(columns, of, bounds_of("abx_meaning"), scores=list(abx_queries.SCORES))
    rows = partial(worst_first, checkpoint=checkpoint.fingerprint, before=before.fingerprint if before else None, by=by)
    recipe = recipes.scores(selection, abx_queries.pairs, *means, rows, of=of, layers=[layer])
    data = cooked.rows(recipe)
    key = f"worst-{digest([*fingerprints, layer, by, selection.languages, group.name])[:12]}"
    ticked = _table(data.head(LISTED), by, before, key=key, pair=pair)
    _tell(by, before, data)
    figure.beside(name=f"ABX {group.name} {checkpoint.label} layer {layer} worst pairs", data=data, card=BOTH, recipe=recipe)
    return ticked


def _before(selection: Selection, model: Model, checkpoint: Checkpoint) -> Checkpoint | None:
    """Return the computed checkpoint before this one, of other weights; None for the first."""
    computed = selection.computed(model)
    earlier = computed[: computed.index(checkpoint)]
    return next((each for each in reversed(earlier) if each.fingerprint != checkpoint.fingerprint), None)


def _table(data: pd.DataFrame, by: By, before: Checkpoint | None, *, key: str, pair: tuple[str, str]) -> list[str]:
    score = "language" if by == "language" else "meaning"
    ends = [sorted(each) for each in zip(data["source"], data["target"], strict=True)]
    shown = pd.DataFrame({"Pair": [" – ".join(language(tag).name for tag in each) for each in ends]})
    for name in ("meaning", "language"):
        shown[name.capitalize()] = data[name]
        shown[f"{name.capitalize()}, 95%"] = _intervals(data, name)
    if before:
        shown["Change"] = data[f"{score}_change"]
        shown["Change, 95% at most"] = _intervals(data, f"{score}_change", sign="+")
    shown["n"] = data["n"].astype("Int64")
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {name: number(format=SHARE, width=74) for name in ("Meaning", "Language")}
    columns |= {"Change": number(format=CHANGE, width=74), "n": number(width=46)}
    columns |= {"Pair": st.column_config.Column(width=155)}
    place = ends.index(sorted(pair)) if sorted(pair) in ends else None
    ticked = _ticked(key, place)
    st.dataframe(
        shown,
        hide_index=True,
        height=HEIGHT if len(shown) > 7 else "content",
        key=key,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-row",
        alt="Pairs of languages, the worst first",
    )
    return [] if ticked is None or ticked >= len(ends) else ends[ticked]


def _ticked(key: str, place: int | None) -> int | None:
    """Return the row that was ticked just now; where none was, tick the one at `place`, whose pair is open below."""
    memory = f"{key}-ticked"
    rows = list(st.session_state[key]["selection"]["rows"]) if key in st.session_state else []
    if rows and rows != st.session_state.get(memory) and rows != [place]:
        st.session_state[memory] = rows
        return int(rows[0])
    st.session_state[memory] = shown = [] if place is None else [place]
    st.session_state[key] = {"selection": {"rows": shown, "columns": [], "cells": []}}
    return None


def _intervals(data: pd.DataFrame, name: str, sign: str = "") -> list[str]:
    ends = zip(data[f"{name}_low"], data[f"{name}_high"], strict=True)
    said = ["" if pd.isna(low) or pd.isna(high) else f"{low:{sign}.3f} to {high:{sign}.3f}" for low, high in ends]
    return [each.replace("-", "−") for each in said]


def _tell(by: By, before: Checkpoint | None, data: pd.DataFrame) -> None:
    """Say what the numbers are, and what a tick does."""
    of = "language" if by == "language" else "meaning"
    sentence = "Share of triplets of n sentences. Meaning: higher = translations closer. Language: higher = more separable."
    if before:
        sentence += f" Change: of {of} discrimination since {verbatim(before.label)}"
        known = data[f"{of}_change_low"].notna().any()
        sentence += ", with the widest interval it can have (both have the same sentences)." if known else "; no interval."
    listed = f" The first {LISTED} of {len(data):,} pairs; the export has all." if len(data) > LISTED else ""
    st.caption(f"{sentence}{listed} Tick a row to open its sentences below.")
