"""Toasts that survive `st.rerun`: a message shown right before a rerun is lost, so it is kept and shown after it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

STATE = "notes"
Icon = Literal[":material/check:", ":material/info:", ":material/error:"]


def after_rerun(text: str, icon: Icon = ":material/check:") -> None:
    """Show `text` (Markdown) in the next run of any page."""
    st.session_state.setdefault(STATE, []).append((text, icon))


def show() -> None:
    """Show what waits; called once by every page, before anything that may rerun it."""
    for text, icon in st.session_state.pop(STATE, []):
        st.toast(text, icon=icon)
