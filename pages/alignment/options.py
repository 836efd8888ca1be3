"""How vectors of words or sentences are compared on the alignment page, and which are drawn: options in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from backend.figures.alignment import Unit
from backend.models.entry import Pooling
from pages.widgets.choosing.choices import box

SIMILARITIES = {"csls": "CSLS", "cosine": "Cosine", "l2": "Euclidean distance"}
DIRECTIONS = {"both": "Both (mean)", "forward": "First to second", "backward": "Second to first"}
ORDERED = "Of each pair's two languages, by their tags' alphabetical order."
VECTORS: dict[Pooling, str] = {
    "mean": "Mean of tokens",
    "first": "First token",
    "mean_special": "Mean with special tokens",
    "last": "Last token",
}
STRONG = {
    "strong": "Same language (Eq. 3)",
    "strong_self": "And itself (table IV)",
    "strong_released": "Both languages (2023)",
}
STRONG_HELP = (
    "Among which words the translation must be nearest. Same language: in CSLS a candidate is no neighbour of its own (the "
    "paper does not say). And itself: it is, as in the code that made table IV. Both languages: one pool, as in the code "
    "since January 2023, which has cosine alone."
)
UNIQUE = {
    "both": "One candidate, both ways",
    "source": "One candidate of the first word",
    "once": "One candidate, each word once",
}
UNIQUE_HELP = (
    "Of a dictionary's pairs. Both ways: neither word has another candidate in the two sentences. Of the first word: the "
    "paper's wording; first is the language whose tag comes first. Each word once: both ways, and no word is in two pairs, as "
    "in the authors' code."
)
OLDER = {"strong": {"Both languages (released code)": "strong_released"}, "similarity": {"CSLS (10 nearest)": "csls"}}
"""What older links call a choice, by the control."""


def choose(unit: Unit, usual: Mapping[str, Any]) -> tuple[dict[str, object], Pooling, str, str]:
    """Draw the controls; the fields of the spec, the sentence vector, the candidates of strong alignment, the direction.

    `usual` are fields of the spec at first, where they are not the default.
    """
    for key, names in OLDER.items():
        if (old := st.query_params.get(key)) in names and key not in st.session_state:
            st.session_state[key] = names[old]
    similarity = box("Similarity", SIMILARITIES, "similarity", usual.get("similarity", "csls"))
    centred = st.toggle(
        "Language-centred",
        bool(usual.get("centred")),
        key="centred",
        bind="query-params",
        help="Each language's mean vector is subtracted (Pires et al. 2019).",
    )
    first = "strong_self" if usual.get("self_neighbour") else "strong"
    strong = box("Strong: candidates", STRONG, "strong", first, STRONG_HELP)
    direction = box("Direction", DIRECTIONS, "direction", "both", ORDERED)
    own = strong == "strong_self"
    if own and similarity != "csls":
        st.caption("Who is a neighbour matters with CSLS alone: candidates of the same language.")
        strong, own = "strong", False
    options: dict[str, object] = {"similarity": similarity, "centred": centred, "self_neighbour": own}
    if similarity == "csls":
        help_ = "How many neighbours' mean cosine CSLS takes off: 10 in its paper."
        options["k"] = _whole("Nearest neighbours", "k", 1, 1000, usual.get("k", 10), help_)
    pooling: Pooling = "mean"
    if unit == "sentence":
        pooling = box("Sentence vector", VECTORS, "pooling", usual.get("pooling", "mean"))
        return options | _draws_of_sentences(usual) | _seed(usual), pooling, strong, direction
    options["masked"] = st.toggle(
        "Masked words",
        bool(usual.get("masked")),
        key="masked",
        bind="query-params",
        help="Both words are replaced by the model's mask token (figure 8).",
    )
    options["repeated"] = st.toggle(
        "Repeated pairs",
        bool(usual.get("repeated")),
        key="repeated",
        bind="query-params",
        help="Every occurrence of a word pair, not only its first.",
    )
    unique = box("Words that count", UNIQUE, "unique", usual.get("unique", "both"), UNIQUE_HELP)
    if unique == "once" and options["repeated"]:
        st.caption("Repeated pairs and each word once exclude each other: pairs are repeated.")
        unique = "both"
    options["unique"] = unique
    options["n_pairs"] = _whole("Word pairs per run", "n_pairs", 2, 100_000, usual.get("n_pairs", 5000))
    options["runs"] = _whole("Runs", "runs", 1, 100, usual.get("runs", 10))
    return options | _seed(usual), pooling, strong, direction


def _draws_of_sentences(usual: Mapping[str, Any]) -> dict[str, object]:
    """Draw how many sentences a run takes, and how many runs there are; all in one run by default."""
    help_, first = "0: all sentences, in one run. Table I: 5,000, in 10 runs.", usual.get("n_sentences") or 0
    taken = _whole("Sentences per run", "n_sentences", 0, 1_000_000, first, help_, step=1000)
    if taken < 2:
        return {}
    runs = usual.get("runs", 10) if first else 10
    return {"n_sentences": taken, "runs": _whole("Runs", "sentence_runs", 1, 100, runs)}


def _seed(usual: Mapping[str, Any]) -> dict[str, object]:
    help_ = "Of what is drawn: the same for every model."
    return {"seed": _whole("Seed", "words_seed", 0, 2**31 - 1, usual.get("seed", 0), help_)}


def _whole(label: str, key: str, least: int, most: int, usual: int, help_: str | None = None, *, step: int = 1) -> int:
    """Draw a whole number in the URL."""
    return int(st.number_input(label, least, most, usual, step=step, key=key, bind="query-params", help=help_))
