"""From a cell or point of a figure to what lies behind it: the select boxes take over what was clicked."""

from __future__ import annotations

import streamlit as st

from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.server import streamlit_internals

CLICKED = "clicked-cell"
"""Session state: select boxes' keys and the values that a click on a cell gives them, until the page is drawn again."""
LANGUAGES = ("pair_source", "pair_target")
"""Boxes that show a language's name."""


def open_cell(view: str, **values: str | int | list[str]) -> None:
    """Show the cell that was clicked in `view`: each select box (by its key) gets the value given, a multiselect a list."""
    st.session_state[CLICKED] = {"view": view} | values
    address.step()
    st.rerun()


def apply_click() -> None:
    """Take over the cell that was clicked: call before anything is drawn.

    Into the session, which the select boxes read, and into what those read that are new to the page.
    """
    clicked: dict[str, str | int | list[str]] = st.session_state.pop(CLICKED, None) or {}
    if clicked:
        streamlit_internals.start_from(
            streamlit_internals.asked_for() | {key: _texts(key, value) for key, value in clicked.items()}
        )
    for key, value in clicked.items():
        st.session_state[key] = value


def _texts(key: str, value: str | int | list[str]) -> list[str]:
    """Return a value as a link says it."""
    if isinstance(value, list):
        return value
    return [language_name(str(value)) if key in LANGUAGES else str(value)]
