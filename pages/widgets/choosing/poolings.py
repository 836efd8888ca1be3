"""What makes a sentence's or word's vector of its tokens', one for all models or the recommended one of each; in the URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar, cast

import streamlit as st

from isogloss.backend.experiments.words import several
from isogloss.backend.models.entry import SENTENCE_VECTOR, WORD_VECTOR, Model, Pooling, WordVector
from isogloss.backend.models.recommended import recommended, recommended_of_words
from isogloss.backend.option import Option, within_sentence
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.words import verbatim

RECOMMENDED: Literal["recommended"] = "recommended"
Poolings = Mapping[str, Pooling]
"""Fingerprint of a checkpoint → its pooling, where each model has its own; empty where all have one."""
Kind = TypeVar("Kind", Pooling, WordVector)


def choose(models: Sequence[Model], usual: Pooling) -> tuple[Pooling, Poolings]:
    """Draw the control, and which models another pooling is recommended for; returns that of all, and those of each.

    A checkpoint that several models share has that of the first in all of them, and so have their other checkpoints.
    """
    return _choose(models, usual, SENTENCE_VECTOR, recommended)


def choose_of_words(models: Sequence[Model], usual: WordVector) -> tuple[WordVector, Mapping[str, WordVector]]:
    """Do the same for the vectors of words in their sentences."""
    return _choose(models, usual, WORD_VECTOR, recommended_of_words)


def _choose(
    models: Sequence[Model], usual: Kind, option: Option, recommend: Callable[[Model], tuple[Kind, str]]
) -> tuple[Kind, Mapping[str, Kind]]:
    offered = dict[str, str](option.words) | {RECOMMENDED: "Recommended for each model"}
    chosen = box(option.label, offered, option.key, usual, option.help)
    _advise(models, chosen, option, recommend)
    if chosen != RECOMMENDED:
        return cast("Kind", chosen), {}
    of_each: dict[str, Kind] = {}
    for model in models:
        own = [checkpoint.fingerprint for checkpoint in model.checkpoints]
        pooling = next((of_each[each] for each in own if each in of_each), recommend(model)[0])
        of_each.update(dict.fromkeys(own, pooling))
    return usual, of_each


def _advise(models: Sequence[Model], chosen: str, option: Option, recommend: Callable[[Model], tuple[Kind, str]]) -> None:
    """Say which of these models another pooling is recommended for than the one chosen, and why: a line a reason."""
    reasons: dict[tuple[Kind, str], list[str]] = {}
    for model in models:
        pooling, why = recommend(model)
        if chosen not in (pooling, RECOMMENDED):
            reasons.setdefault((pooling, why), []).append(model.name)
    for (pooling, why), names in reasons.items():
        st.caption(f"Recommended for {verbatim(several(names, 3))}: {within_sentence(option.words[pooling])}, since {why}.")


def tell(models: Sequence[Model], poolings: Mapping[str, str], option: Option = SENTENCE_VECTOR) -> None:
    """Say above the figures which model has which pooling, where each has its own."""
    if poolings:
        named = {model.name: poolings[model.checkpoints[0].fingerprint] for model in models}
        each = [f"{verbatim(name)} {within_sentence(option.words[pooling])}" for name, pooling in named.items()]
        st.caption(f"{option.label}: {'; '.join(each)}.")
