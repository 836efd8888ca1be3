"""The frames behind the alignment figures, cached by what they depend on: the files, their times, and the selection."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from backend.experiments.alignment import queries as alignment_queries
from backend.files import digest
from backend.models.entry import Checkpoint, Model
from pages.alignment.selection import Selection
from pages.widgets.selecting import labelled

MEASURES = {"weak": "Weak alignment", "strong": "Strong alignment"}
SHARES = {"word": "share of words", "sentence": "share of sentences"}


def unit_title(selection: Selection, measure: str) -> str:
    """The measure with its unit and direction, for an axis."""
    return f"{MEASURES[measure]} ({SHARES[selection.unit]}; higher = better aligned)"


def grid(selection: Selection, checkpoints: Sequence[Checkpoint], measures: Sequence[str] = ("weak", "strong")) -> pd.DataFrame:
    """Mean over the chosen pairs: model, checkpoint, label, position, step, measure, layer, value, low, high, pairs, n.

    `checkpoints` have every chosen pair (`complete`): a mean over fewer would be another number.
    """
    return _labelled(_query("grid", selection, checkpoints, selection.pairs, measures), selection)


def pairs(
    selection: Selection, checkpoints: Sequence[Checkpoint], measures: Sequence[str] = ("weak", "strong")
) -> pd.DataFrame:
    """A row a directed pair, with its standard deviation over runs, labelled."""
    return _labelled(_query("pairs", selection, checkpoints, selection.pairs, measures), selection)


def complete(selection: Selection, model: Model) -> list[Checkpoint]:
    """The checkpoints that have every chosen pair."""
    return [
        checkpoint
        for checkpoint in selection.checkpoints(model)
        if all((checkpoint.fingerprint, pair) in selection.served for pair in selection.pairs)
    ]


def say_empty(selection: Selection) -> None:
    """Why there is nothing to draw: no checkpoint has every pair yet, or there is too little text to score."""
    if not any(complete(selection, model) for model in selection.models):
        st.info("The figures come with the first checkpoint that has every chosen pair.", icon=":material/info:")
        return
    few, remedy = (
        ("word pairs", "a larger corpus or dictionary") if selection.unit == "word" else ("sentences", "a larger corpus")
    )
    st.info(
        f"All is computed, but no two of these languages share two {few} that could be told apart. Choose {remedy}.",
        icon=":material/info:",
    )


def metrics(selection: Selection, measures: Sequence[str]) -> list[str]:
    """The scores' metrics: weak and strong are the unit's own, others go by their name."""
    return [selection.metric(measure) if measure in MEASURES else measure for measure in measures]


def _labelled(found: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    names = {selection.metric(measure): measure for measure in MEASURES}
    found = found[found["layer"].isin(selection.layers)].assign(measure=found["metric"].map(lambda name: names.get(name, name)))
    return labelled(found, selection)


def _query(
    name: str,
    selection: Selection,
    checkpoints: Sequence[Checkpoint],
    of: Sequence[tuple[str, str]],
    measures: Sequence[str],
    variants: Sequence[str] | None = None,
) -> pd.DataFrame:
    files = selection.files(checkpoints, of)
    key = digest([[str(path), modified] for path, modified in files])
    return _cached(
        name,
        key,
        [path for path, _ in files],
        tuple(selection.wanted(checkpoints, of)),
        tuple(metrics(selection, measures)),
        tuple(variants or selection.variants),
        selection.runs,
    )


@st.cache_data(show_spinner=False, max_entries=256)
def _cached(
    name: str,
    key: str,
    _files: list[Path],
    wanted: tuple[tuple[str, str, str], ...],
    metrics: tuple[str, ...],
    variants: tuple[str, ...],
    runs: int,
) -> pd.DataFrame:
    call = alignment_queries.grid if name == "grid" else alignment_queries.pairs
    return call(_files, wanted, metrics, variants, runs)


def pairs_of_variants(
    selection: Selection, checkpoints: Sequence[Checkpoint], variants: Sequence[str], measures: Sequence[str]
) -> pd.DataFrame:
    """As `pairs`, of other variants than those chosen (both sentence vectors)."""
    return _labelled(_query("pairs", selection, checkpoints, selection.pairs, measures, variants), selection)


def grid_of_variants(
    selection: Selection, checkpoints: Sequence[Checkpoint], variants: Sequence[str], measures: Sequence[str]
) -> pd.DataFrame:
    """As `grid`, of other variants than those chosen."""
    return _labelled(_query("grid", selection, checkpoints, selection.pairs, measures, variants), selection)
