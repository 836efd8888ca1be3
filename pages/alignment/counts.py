"""How many word pairs the scores rest on, and how many were lost: said beside the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.words import count
from isogloss.backend.models.entry import Model
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.words import verbatim


def tell(selection: Selection) -> None:
    """Say how many of the pairs are drawn; of words how many they are, and how many each model lost."""
    drawn, asked = len(selection.existing().pairs), len(selection.pairs)
    if drawn < asked:
        are = "is" if drawn == 1 else "are"
        st.caption(f"{drawn:,} of {count(asked, 'language pair')} {are} computed and drawn; means are over {drawn:,}.")
    if selection.unit == "sentence":
        return
    if sentence := pairs_in_words(selection):
        st.caption(sentence)
    if few := too_few(selection):
        names = "; ".join(f"{language(a).name} and {language(b).name}" for a, b in few)
        st.caption(f"Fewer than two word pairs with vectors, so left out of every mean: {names}.")
    for model in selection.models:
        if sentence := lost_in_words(selection, model):
            st.caption(sentence)


def too_few(selection: Selection) -> list[tuple[str, str]]:
    """Pairs of languages that some checkpoint has no score for, because nothing is there to mistake a word for."""
    counts = ((pair, _counts(shard.provenance, pair)) for (_, pair), shard in selection.served.items())
    return sorted({pair for pair, each in counts if each and each["drawn"] - each["lost"] < 2})


def pairs_in_words(selection: Selection) -> str | None:
    """Return the fewest and the most pairs of any two languages, and whether the runs can differ."""
    found = {pair: _counts(shard.provenance, pair) for (_, pair), shard in selection.served.items()}
    numbers = [each["pairs"] for each in found.values() if each]
    if not numbers:
        return None
    low, high = min(numbers), max(numbers)
    asked = int(selection.options["n_pairs"])
    between = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    sentence = f"{between} word pairs per language pair"
    if high <= asked:
        sentence += f"; all are used (limit {asked:,}), so one run is enough."
    else:
        sentence += f"; {asked:,} per run where there are as many."
    possible = len(selection.languages) * (len(selection.languages) - 1) // 2
    able = len(selection.pairs)
    return (
        sentence
        if able == possible
        else f"{sentence} {able} of {possible} language pairs {'has' if able == 1 else 'have'} a dictionary."
    )


def lost_in_words(selection: Selection, model: Model) -> str | None:
    """Return how many pairs of the checkpoint that lost most had no vector for one of their words."""
    worst = (0, 0)
    for checkpoint in selection.computed(model):
        losses = [
            _counts(selection.served[key].provenance, pair)
            for pair in selection.pairs
            if (key := (checkpoint.fingerprint, pair)) in selection.served
        ]
        worst = max(worst, (sum(each.get("lost", 0) for each in losses), sum(each.get("drawn", 0) for each in losses)))
    lost, drawn = worst
    if not lost:
        return None
    return (
        f"{verbatim(model.name)}: {lost:,} of {count(drawn, 'word pair')} left out: a word was lost to truncation of its "
        "sentence or the tokeniser keeps nothing of it."
    )


def _counts(provenance: Mapping[str, Any], pair: tuple[str, str]) -> dict[str, int]:
    return dict(provenance.get("counts", {}).get("-".join(pair), {}))
