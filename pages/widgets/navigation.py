"""The menu: a page for each folder of `pages/`. To add one, write its `page.py` and name it here."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage


def sections() -> dict[str, list[StreamlitPage]]:
    """The pages by section, made anew for each run: a page object belongs to the run that made it."""
    return {
        "Workspace": [
            st.Page("pages/home/page.py", title="Home", icon=":material/home:", default=True),
            st.Page("pages/library/page.py", title="Library", icon=":material/library_books:", url_path="library"),
            st.Page("pages/jobs/page.py", title="Jobs", icon=":material/pending_actions:", url_path="jobs"),
        ],
        "Measurements": [
            st.Page("pages/abx/page.py", title="ABX", icon=":material/grid_on:", url_path="abx"),
            st.Page("pages/alignment/page.py", title="Alignment", icon=":material/join_inner:", url_path="alignment"),
            st.Page("pages/transfer/page.py", title="Transfer", icon=":material/swap_horiz:", url_path="transfer"),
            st.Page("pages/emergent/page.py", title="Emergent", icon=":material/psychology_alt:", url_path="emergent"),
        ],
    }
