"""What is looked at on the ABX page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments.abx import shard as abx
from isogloss.pages.shared.abx.selection import Selection, computed_of
from isogloss.pages.widgets.choosing import language_pairs, prefixes, results, selecting
from isogloss.pages.widgets.choosing.form import form


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("ABX", abx.FAMILY)
    if chosen is None:
        return None
    first = results.first_options(abx.FAMILY)
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        options = form(abx.AbxSpec, first)
        pairs = language_pairs.choose(chosen.languages)
        before = prefixes.choose(chosen.models, first.get("prefix", ""))
    prefixes.tell(chosen.models, before)
    if pairs == ():
        st.info("Choose a pair of languages in the side bar, under Options.", icon=":material/left_panel_open:")
        return None
    return computed_of(chosen, pairs=pairs, prefixes=before, **options)
