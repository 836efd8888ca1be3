"""How vectors of words or sentences are compared on the alignment page, and which are drawn: options in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from isogloss.backend.experiments.alignment.queries import Ways
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.words.spec import WordAlignmentSpec
from isogloss.backend.figures.alignment import Unit
from isogloss.backend.metrics.retrieval.options import NEIGHBOURS, SIMILARITIES, TASKS, Task
from isogloss.backend.models.entry import Model
from isogloss.pages.widgets.choosing import poolings
from isogloss.pages.widgets.choosing.choices import box, whole
from isogloss.pages.widgets.choosing.form import form

DIRECTIONS: dict[Ways, str] = {"both": "Both (mean)", "forward": "First to second", "backward": "Second to first"}
ORDERED = "Of each pair's two languages, by their tags' alphabetical order."
STRONG: dict[Task, str] = {task: name for task, name in TASKS.items() if task != "weak"}
STRONG_HELP = (
    "Among which words the translation must be nearest. Strong: of the same language (Eq. 3); in CSLS a candidate is no "
    "neighbour of its own (the paper does not say). Self a neighbour: it is, as in the code that made table IV. Both "
    "languages: one pool, as in the code since January 2023, which has cosine alone."
)
BY_HAND = ("pooling", "vector")
"""Each model may have its own."""
DRAWN = ("n_pairs", "runs", "seed", "repeated", "unique", "masked")
"""Options asked for below how vectors are compared."""


@dataclass(frozen=True)
class Vectors:
    """What makes the vectors of sentences or words: of all models, and of each where each has its own, by fingerprint."""

    common: str
    of_each: Mapping[str, str]


def choose(unit: Unit, first: Mapping[str, Any], models: Sequence[Model]) -> tuple[dict[str, Any], Vectors, Task, Ways]:
    """Draw the controls; the fields of the spec, the vectors, the candidates of strong alignment, the direction.

    `first` are fields of the spec at first, where they are not the default; `models` those that a vector is recommended for.
    """
    spec = WordAlignmentSpec if unit == "word" else SentenceAlignmentSpec
    options = form(spec, first, leave=(*DRAWN, *BY_HAND))
    # By hand: candidates are a field of the spec (each a neighbour of itself) or another measure of the same scores.
    usual: Task = "strong_self" if first.get("self_neighbour") else "strong"
    strong = box("Strong: candidates", STRONG, "strong", usual, STRONG_HELP)
    usual_way: Ways = "both"
    direction = box("Direction", DIRECTIONS, "direction", usual_way, ORDERED)
    options["self_neighbour"] = strong == "strong_self"
    if options["self_neighbour"] and options["similarity"] not in NEIGHBOURS:
        able = " and ".join(SIMILARITIES[each] for each in NEIGHBOURS)
        st.caption(f"Who is a neighbour matters with {able} alone: candidates of the same language.")
        strong, options["self_neighbour"] = "strong", False
    if unit == "sentence":
        # By hand: which vector is shown; the spec's field is none for both the mean and the first token.
        vectors = Vectors(*poolings.choose(models, first.get("pooling") or "mean"))
        options |= _draws_of_sentences(first)
    else:
        vectors = Vectors(*poolings.choose_of_words(models, first.get("vector", "mean")))
    options |= form(spec, first, options, leave=BY_HAND)
    if options.get("unique") == "once" and options["repeated"]:
        st.caption("Repeated pairs and each word once exclude each other: pairs are repeated.")
        options["unique"] = "both"
    return options, vectors, strong, direction


def _draws_of_sentences(first: Mapping[str, Any]) -> dict[str, Any]:
    """Draw how many sentences a run takes and, where it takes some, how many runs there are: ten at first, as in table I."""
    help_, at_first = "0: all sentences, in one run. Table I: 5,000, in 10 runs.", first.get("n_sentences") or 0
    taken = whole("Sentences per run", "n_sentences", 0, 1_000_000, at_first, help_, step=1000)
    if taken < 2:
        return {}
    runs = first.get("runs", 10) if at_first else 10
    return {"n_sentences": taken, "runs": whole("Runs", "sentence_runs", 1, 100, runs)}
