"""The menu: one section a folder of `pages/`. To add a page, write its file and name it here."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage


def sections() -> dict[str, list[StreamlitPage]]:
    """The pages by section, made anew for each run: a page object belongs to the run that made it."""
    return {
        "Workspace": [
            st.Page("pages/workspace/home.py", title="Home", icon=":material/home:", default=True),
            st.Page("pages/workspace/library.py", title="Library", icon=":material/library_books:"),
            st.Page("pages/workspace/jobs.py", title="Jobs", icon=":material/pending_actions:"),
        ],
        "Measurements": [
            st.Page("pages/measurements/abx.py", title="ABX", icon=":material/grid_on:", url_path="abx"),
            st.Page("pages/measurements/alignment.py", title="Alignment", icon=":material/join_inner:", url_path="alignment"),
            st.Page("pages/measurements/transfer.py", title="Transfer", icon=":material/swap_horiz:", url_path="transfer"),
            st.Page("pages/measurements/emergent.py", title="Emergent", icon=":material/psychology_alt:", url_path="emergent"),
        ],
    }
