"""Which pairs of the chosen languages are looked at: all, those of one language, or a list; all of it in the URL."""

from __future__ import annotations

from itertools import combinations

import streamlit as st

from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.language_pairs import with_language
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import language_name


def choose(languages: tuple[str, ...]) -> tuple[Pair, ...] | None:
    """Draw the control: None for all of the languages' pairs, else those of one language, or a list, which may be empty."""
    which = select("Pairs", ("All", "Of one language", "A list"), "pairs", width=300)
    if which == "All":
        return None
    if which == "Of one language":
        english = languages.index("en") if "en" in languages else 0
        centre = select("Paired with all others", languages, "centre", width=300, index=english, named=language_name)
        return tuple(sorted(with_language(centre, languages)))
    every = {f"{one} – {other}": (one, other) for one, other in combinations(languages, 2)}
    if st.session_state.get("pair_list"):
        st.session_state["pair_list"] = [name for name in st.session_state["pair_list"] if name in every]
    return tuple(every[name] for name in st.multiselect("Pairs listed", list(every), key="pair_list", bind="query-params"))
