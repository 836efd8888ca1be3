"""The menu: one section a folder of `pages/`. To add a page, write its file and name it here."""

from __future__ import annotations

import streamlit as st

HOME = st.Page("pages/workspace/home.py", title="Home", icon=":material/home:", default=True)
LIBRARY = st.Page("pages/workspace/library.py", title="Library", icon=":material/library_books:")
JOBS = st.Page("pages/workspace/jobs.py", title="Jobs", icon=":material/pending_actions:")
ABX = st.Page("pages/measurements/abx.py", title="ABX", icon=":material/grid_on:", url_path="abx")

SECTIONS = {"Workspace": [HOME, LIBRARY, JOBS], "Measurements": [ABX]}
