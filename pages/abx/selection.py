"""What is looked at on the ABX page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from backend.experiments.abx import shard as abx
from backend.experiments.abx.shard import Protocol
from backend.models.entry import Pooling
from pages.shared.abx.selection import Selection, computed_of
from pages.widgets import language_pairs, prefixes, selecting

POOLINGS: dict[Pooling, str] = {
    "mean": "Mean of tokens",
    "mean_special": "Mean with special tokens",
    "first": "First token",
    "last": "Last token",
}
PROTOCOLS: dict[Protocol, str] = {
    "exact": "All triplets",
    "sampled": "100,000 sampled triplets",
    "control": "Control (must be 0.5)",
}
CONTROLS = (
    "The paper's baseline (the variable of interest held constant) and our shuffles: both must be 0.5. "
    "While this is on, the baseline is computed with what is missing."
)
SUBSAMPLES = 5
"""As many as the paper draws."""


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("ABX", abx.FAMILY)
    if chosen is None:
        return None
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        pooling = st.selectbox(
            "Sentence vector", get_args(Pooling), format_func=POOLINGS.__getitem__, key="pooling", bind="query-params"
        )
        protocol = st.selectbox(
            "Triplets", get_args(Protocol), format_func=PROTOCOLS.__getitem__, key="protocol", bind="query-params"
        )
        baseline = protocol != "control" and st.toggle(
            "Controls in the curves", key="controls", bind="query-params", help=CONTROLS
        )
        five = protocol == "sampled" and st.toggle(
            f"{SUBSAMPLES} subsamples, with their spread", key="subsamples", bind="query-params"
        )
        pairs = language_pairs.choose(chosen.languages)
        before = prefixes.choose(chosen.models)
    prefixes.tell(chosen.models, before)
    if pairs == ():
        st.info("Choose a pair of languages in the side bar, under Options.", icon=":material/left_panel_open:")
        return None
    more = {"pairs": pairs, "baseline": baseline, "subsamples": SUBSAMPLES if five else 1, "prefixes": before}
    return computed_of(chosen, pooling, protocol, **more)
