"""The text set before every sentence, per model: none, what each was trained with, or what is typed; all of it in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from isogloss.backend.models.entry import LONGEST_PREFIX, POOLINGS, Checkpoint, Model, quoted
from isogloss.backend.models.files.catalogue import Known, known_as
from isogloss.backend.option import within_sentence
from isogloss.pages.widgets.choosing.choices import start_index
from isogloss.pages.widgets.words import verbatim

NONE, TRAINED, OTHER = "None", "As trained", "Other …"
HELP = "Text set before every sentence. Scores with and without one do not compare."
Prefixes = Mapping[str, str]
"""Fingerprint of a checkpoint → what it reads before every text; those without any are left out."""


def choose(models: Sequence[Model], usual: str = "") -> dict[str, str]:
    """Draw the controls, and what the catalogue knows of these models; returns each checkpoint's prefix, `usual` at first."""
    known = {model.name: line for model in models if (line := known_as(model)) is not None}
    trained = {name: line.prefix for name, line in known.items() if line.prefix}
    options = [NONE, *([TRAINED] if trained else []), OTHER]
    of_all = {trained.get(model.name, "") for model in models}
    first = NONE if not usual else TRAINED if of_all == {usual} else OTHER
    index = start_index("prefix", options, options.index(first))
    kind = st.selectbox("Prefix", options, index, key="prefix", bind="query-params", help=HELP)
    for name, line in known.items():
        if said := of_training(line):
            st.caption(f"{verbatim(name)}: trained with {verbatim(said)}.")
    if kind == TRAINED:
        return of_models(models, trained)
    return of_models(models, dict.fromkeys((model.name for model in models), typed(usual))) if kind == OTHER else {}


def choose_one(models: Sequence[Model]) -> str:
    """Draw the controls of one prefix for all of these models, with what the catalogue knows of them to choose from."""
    known = [line for model in models if (line := known_as(model)) is not None and line.prefix]
    offered = {quoted(line.prefix): line.prefix for line in known}
    options = [NONE, *offered, OTHER]
    kind = st.selectbox("Prefix", options, start_index("prefix", options), key="prefix", bind="query-params", help=HELP)
    return typed() if kind == OTHER else offered.get(kind, "")


def of_models(models: Sequence[Model], named: Mapping[str, str]) -> dict[str, str]:
    """Return each checkpoint's prefix, from each model's by its name.

    A checkpoint that several models share reads one text in all of them, and so do their other checkpoints: that of the first.
    """
    prefix_of: dict[str, str] = {}
    for _ in models:  # from one to the next that shares with it
        for model in sorted(models, key=lambda each: not named.get(each.name)):
            own = [each.fingerprint for each in model.checkpoints]
            if prefix := next((prefix_of[each] for each in own if each in prefix_of), named.get(model.name, "")):
                prefix_of.update(dict.fromkeys(own, prefix))
    return prefix_of


def typed(usual: str = "") -> str:
    r"""Draw the field for any other prefix; `\n` in it is a line end, as it is shown: instructions have one before the text."""
    what = r"Exactly as typed, spaces included; \n is a line end, such as in `Instruct: …\nQuery: `."
    text = st.text_input(
        "Text before every sentence",
        usual.replace("\n", "\\n"),
        max_chars=LONGEST_PREFIX,
        key="prefix_text",
        bind="query-params",
        help=what,
    )
    return text.replace("\\n", "\n")


def of_training(line: Known) -> str:
    """Say what a model was trained with by its card: its prefix, what makes its sentence vector; empty where it has neither."""
    pooling = within_sentence(POOLINGS[line.pooling]) if line.pooling else ""
    return ", ".join(each for each in (quoted(line.prefix) if line.prefix else "", pooling) if each)


def at(prefixes: Prefixes, checkpoints: Sequence[Checkpoint]) -> str:
    """Return what the checkpoints of one model read before every text."""
    return prefixes.get(checkpoints[0].fingerprint, "") if checkpoints else ""


def tell(models: Sequence[Model], prefixes: Prefixes) -> None:
    """Say above the figures what is set before the texts of which model; nothing where nothing is."""
    if not prefixes:
        return
    named = {model.name: at(prefixes, model.checkpoints) for model in models}
    each = [f"{verbatim(name)} {verbatim(quoted(prefix)) if prefix else 'none'}" for name, prefix in named.items()]
    st.caption(f"Prefix: {'; '.join(each)}.")
