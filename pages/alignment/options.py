"""How vectors of words or sentences are compared on the alignment page, and which are drawn: options in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from backend.figures.alignment import Unit
from backend.models.entry import Pooling
from pages.widgets.choosing.choices import box

SIMILARITIES = {"csls": "CSLS (10 nearest)", "cosine": "Cosine", "l2": "Euclidean distance"}
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
OLD_STRONG = {"Both languages (released code)": "strong_released"}
"""In older links."""


def choose(unit: Unit, usual: Mapping[str, Any]) -> tuple[dict[str, object], Pooling, str, str]:
    """Draw the controls; the fields of the spec, the sentence vector, the candidates of strong alignment, the direction.

    `usual` are fields of the spec at first, where they are not the default.
    """
    similarity = box("Similarity", SIMILARITIES, "similarity", usual.get("similarity", "csls"))
    centred = st.toggle(
        "Language-centred",
        bool(usual.get("centred")),
        key="centred",
        bind="query-params",
        help="Each language's mean vector is subtracted (Pires et al. 2019).",
    )
    if (old := st.query_params.get("strong")) in OLD_STRONG and "strong" not in st.session_state:
        st.session_state["strong"] = OLD_STRONG[old]
    first = "strong_self" if usual.get("self_neighbour") else "strong"
    strong = box("Strong: candidates", STRONG, "strong", first, STRONG_HELP)
    direction = box("Direction", DIRECTIONS, "direction", "both", ORDERED)
    own = strong == "strong_self"
    if own and similarity != "csls":
        st.caption("Who is a neighbour matters with CSLS alone: candidates of the same language.")
        strong, own = "strong", False
    options: dict[str, object] = {"similarity": similarity, "centred": centred, "self_neighbour": own}
    pooling: Pooling = "mean"
    if unit == "sentence":
        pooling = box("Sentence vector", VECTORS, "pooling", usual.get("pooling", "mean"))
        return options | _draws_of_sentences(usual), pooling, strong, direction
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
    n_pairs, runs = usual.get("n_pairs", 5000), usual.get("runs", 10)
    options["n_pairs"] = int(st.number_input("Word pairs per run", 2, 100_000, n_pairs, key="n_pairs", bind="query-params"))
    options["runs"] = int(st.number_input("Runs", 1, 100, runs, key="runs", bind="query-params"))
    return options, pooling, strong, direction


def _draws_of_sentences(usual: Mapping[str, Any]) -> dict[str, object]:
    """Draw how many sentences a run takes, and how many runs there are; all in one run by default."""
    help_, first = "0: all sentences, in one run. Table I: 5,000, in 10 runs.", usual.get("n_sentences") or 0
    taken = int(
        st.number_input(
            "Sentences per run",
            0,
            1_000_000,
            usual.get("n_sentences") or 0,
            step=1000,
            key="n_sentences",
            bind="query-params",
            help=help_,
        )
    )
    if taken < 2:
        return {}
    runs = usual.get("runs", 10) if first else 10
    return {"n_sentences": taken, "runs": int(st.number_input("Runs", 1, 100, runs, key="sentence_runs", bind="query-params"))}
