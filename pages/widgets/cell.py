"""From a cell or point of a figure to what lies behind it: the select boxes take over what was clicked."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.widgets.selecting import language_name

CLICKED = "clicked-cell"
"""Session state: select boxes' keys and the values that a click on a cell gives them, until the page is drawn again."""
LANGUAGES = ("pair_source", "pair_target")
"""Boxes that show a language's name."""


def open_cell(view: str, **values: str | int | list[str]) -> None:
    """Show the cell that was clicked in `view`: each select box (by its key) gets the value given, a multiselect a list."""
    st.session_state[CLICKED] = {"view": view} | values
    st.rerun()


def apply_click() -> None:
    """Take over the cell that was clicked: call before anything is drawn.

    Into the session, which the select boxes read, and into the URL, which a box first drawn with such a value leaves as it was.
    (A box that was drawn in the run before keeps writing its own value there, over any other.)
    """
    for key, value in (st.session_state.pop(CLICKED, None) or {}).items():
        with suppress(StreamlitAPIException):
            st.query_params[key] = (
                value if isinstance(value, list) else language_name(value) if key in LANGUAGES else str(value)
            )
        st.session_state[key] = value
