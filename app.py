"""Page configuration and navigation, nothing else."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.widgets import notes
from pages.widgets.collector import spare_imports
from pages.widgets.navigation import sections

if get_script_run_ctx() is None:
    # The server starts. A folder called pages/ makes Streamlit look for pages of the old kind until this file has run once,
    # and say "Page not found" to a deep link that comes first: st.navigation alone decides here.
    PagesManager.uses_pages_directory = False
    app = st.App(__file__)
else:
    st.set_page_config(page_title="Isogloss", page_icon=":material/hub:", layout="wide", initial_sidebar_state="expanded")
    page = st.navigation(sections())
    notes.show()
    page.run()
    spare_imports(page.title)
