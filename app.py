"""Page configuration and navigation, nothing else."""

from __future__ import annotations

import streamlit as st

from pages.widgets.navigation import SECTIONS

st.set_page_config(page_title="Isogloss", page_icon=":material/hub:", layout="wide", initial_sidebar_state="expanded")
st.navigation(SECTIONS).run()
