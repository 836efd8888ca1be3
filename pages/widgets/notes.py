"""A word on what was just done, shown once the page is drawn anew: what is said right before `st.rerun` is lost."""

from __future__ import annotations

from typing import Literal

import streamlit as st

STATE = "notes"
Icon = Literal[":material/check:", ":material/info:"]


def after_rerun(text: str, icon: Icon = ":material/check:") -> None:
    """Say `text` (Markdown) in the next run of the page, whichever page that is."""
    st.session_state.setdefault(STATE, []).append((text, icon))


def show() -> None:
    """Say what waits; called once by every page, before anything that may draw it anew."""
    for text, icon in st.session_state.pop(STATE, []):
        st.toast(text, icon=icon)
