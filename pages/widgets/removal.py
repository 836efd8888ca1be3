"""Before something is removed: a dialog says what goes and what stays, and asks."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from isogloss.pages.widgets import notes
from isogloss.pages.widgets.workspace import guard


def ask(title: str, what: str, remove: Callable[[], str], key: str) -> None:
    """Open the dialog: `what` is its text, Markdown. At a press `remove` does it and returns what is then said."""
    st.dialog(title)(_asked)(what, remove, key)


def _asked(what: str, remove: Callable[[], str], key: str) -> None:
    st.markdown(what)
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Cancel", key=f"{key}-no"):
            st.rerun()
        if st.button("Remove", type="primary", icon=":material/delete:", key=f"{key}-yes"):
            with guard():
                done = remove()
            notes.after_rerun(done)
            st.rerun()
