"""What is looked at on the ABX page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from backend.experiments.abx import shard as abx
from backend.experiments.abx.shard import Protocol
from backend.models.entry import Pooling
from pages.shared.abx.selection import Selection, computed_of
from pages.widgets.choosing import language_pairs, prefixes, results, selecting
from pages.widgets.choosing.choices import box

POOLINGS: dict[Pooling, str] = {
    "mean": "Mean of tokens",
    "mean_special": "Mean with special tokens",
    "first": "First token",
    "last": "Last token",
}
PROTOCOLS: dict[Protocol, str] = {
    "exact": "All triplets",
    "sampled": "Sampled triplets",
    "control": "Control (must be 0.5)",
}
CONTROLS = (
    "The paper's baseline (the variable of interest held constant) and our shuffles: both must be 0.5. "
    "While this is on, the baseline is computed with what is missing."
)
OLD_PROTOCOLS = ("100,000 sampled triplets",)
"""In older links."""
TRIPLETS = 100_000
SUBSAMPLES = 5
"""As many as the paper draws."""


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("ABX", abx.FAMILY)
    if chosen is None:
        return None
    usual = results.asked(abx.FAMILY)
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        pooling = box("Sentence vector", POOLINGS, "pooling", usual.get("pooling", "mean"))
        if st.query_params.get("protocol") in OLD_PROTOCOLS and "protocol" not in st.session_state:
            st.session_state["protocol"] = "sampled"
        protocol = box("Triplets", PROTOCOLS, "protocol", usual.get("protocol", "exact"))
        more = _numbers(protocol, usual)
        more["baseline"] = protocol != "control" and st.toggle(
            "Controls in the curves", bool(usual.get("baseline")), key="controls", bind="query-params", help=CONTROLS
        )
        pairs = language_pairs.choose(chosen.languages)
        before = prefixes.choose(chosen.models, usual.get("prefix", ""))
    prefixes.tell(chosen.models, before)
    if pairs == ():
        st.info("Choose a pair of languages in the side bar, under Options.", icon=":material/left_panel_open:")
        return None
    return computed_of(chosen, pooling, protocol, pairs=pairs, prefixes=before, **more)


def _numbers(protocol: Protocol, usual: Mapping[str, Any]) -> dict[str, Any]:
    """Draw how many sentences count, and how many triplets are drawn how often."""
    taken = _number("Sentences", "sentences", usual.get("sentences") or 0, 0, "0: all; else the first so many.")
    found: dict[str, Any] = {"sentences": taken if taken > 1 else None}
    if protocol != "exact":
        found["seed"] = _number("Seed", "abx_seed", usual.get("seed", 0), 0)
    if protocol != "sampled":
        return found
    found["n_triplets"] = _number("Triplets a pair", "n_triplets", usual.get("n_triplets", TRIPLETS), 1)
    asked = int(usual.get("subsamples", 1))
    draws = asked if asked > 1 else SUBSAMPLES
    several = st.toggle(f"{draws} subsamples, with their spread", asked > 1, key="subsamples", bind="query-params")
    return found | {"subsamples": draws if several else 1}


def _number(label: str, key: str, usual: int, least: int, help_: str | None = None) -> int:
    return int(st.number_input(label, least, 10_000_000, usual, key=key, help=help_, bind="query-params"))
