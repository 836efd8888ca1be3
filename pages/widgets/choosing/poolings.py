"""What makes a sentence's vector of its tokens', one for all models or the recommended one of each; in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

import streamlit as st

from isogloss.backend.experiments.words import several
from isogloss.backend.models.entry import POOLINGS, SENTENCE_VECTOR, Model, Pooling
from isogloss.backend.models.recommended import recommended
from isogloss.backend.option import within_sentence
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.words import verbatim

RECOMMENDED: Literal["recommended"] = "recommended"
OFFERED = dict[str, str](POOLINGS.items()) | {RECOMMENDED: "Recommended for each model"}
Poolings = Mapping[str, Pooling]
"""Fingerprint of a checkpoint → its pooling, where each model has its own; empty where all have one."""


def choose(models: Sequence[Model], usual: Pooling) -> tuple[Pooling, Poolings]:
    """Draw the control, and which models another pooling is recommended for; returns that of all, and those of each.

    A checkpoint that several models share has one pooling in all of them: that of the first.
    """
    chosen = box(SENTENCE_VECTOR.label, OFFERED, SENTENCE_VECTOR.key, usual, SENTENCE_VECTOR.help)
    advise(models, chosen)
    if chosen != RECOMMENDED:
        return cast("Pooling", chosen), {}
    of_each: dict[str, Pooling] = {}
    for model in models:
        for checkpoint in model.checkpoints:
            of_each.setdefault(checkpoint.fingerprint, recommended(model)[0])
    return usual, of_each


def advise(models: Sequence[Model], chosen: str) -> None:
    """Say which of these models another pooling is recommended for than the one chosen, and why: a line a reason."""
    reasons: dict[tuple[Pooling, str], list[str]] = {}
    for model in models:
        pooling, why = recommended(model)
        if chosen not in (pooling, RECOMMENDED):
            reasons.setdefault((pooling, why), []).append(model.name)
    for (pooling, why), names in reasons.items():
        st.caption(f"Recommended for {verbatim(several(names, 3))}: {within_sentence(POOLINGS[pooling])}, since {why}.")


def tell(models: Sequence[Model], poolings: Poolings) -> None:
    """Say above the figures which model has which pooling, where each has its own."""
    if poolings:
        named = {model.name: poolings[model.checkpoints[0].fingerprint] for model in models}
        each = [f"{verbatim(name)} {within_sentence(POOLINGS[pooling])}" for name, pooling in named.items()]
        st.caption(f"Sentence vector: {'; '.join(each)}.")
