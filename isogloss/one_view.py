"""One page without a browser, as `isogloss.figure` has it drawn (`pages/widgets/figures/by_name.py`)."""

from __future__ import annotations

import streamlit as st

from isogloss.pages.widgets.figures.by_name import CONTROLS, PAGE
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.navigation import sections
from isogloss.pages.widgets.server import streamlit_internals

page = st.session_state[PAGE]
chosen = st.navigation(sections(page), position="hidden")
address.take_over(page)
chosen.run()
st.session_state.update({CONTROLS: {each.key: each.texts for each in streamlit_internals.bound_controls()}})
address.write(page)
