"""Page configuration and navigation, nothing else."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.widgets import fitted, notes, present, streamlit_internals
from pages.widgets.collector import spare_imports
from pages.widgets.links import address
from pages.widgets.navigation import sections

ICON = Path(__file__).parent / "pages" / "widgets" / "icon.svg"
"""Of our own: Streamlit's icons and emoji of a tab are fetched from another host."""

if not streamlit_internals.in_script():  # the server starts
    streamlit_internals.ignore_pages_folder()
    streamlit_internals.leave_address_alone()
    app = st.App(__file__)
else:
    st.set_page_config(page_title="Isogloss", page_icon=str(ICON), layout="wide", initial_sidebar_state="auto")
    page = st.navigation(sections())
    address.take_over(page.url_path)
    fitted.begin()
    present.begin()
    notes.show()
    page.run()
    address.write(page.url_path)
    spare_imports(page.title)
