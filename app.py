"""Page configuration and navigation, nothing else."""

from __future__ import annotations

import streamlit as st

from pages.widgets import notes, streamlit_internals
from pages.widgets.collector import spare_imports
from pages.widgets.navigation import sections

if not streamlit_internals.in_script():  # the server starts
    streamlit_internals.ignore_pages_folder()
    app = st.App(__file__)
else:
    st.set_page_config(page_title="Isogloss", page_icon=":material/hub:", layout="wide", initial_sidebar_state="expanded")
    page = st.navigation(sections())
    notes.show()
    page.run()
    spare_imports(page.title)
