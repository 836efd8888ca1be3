"""The two sides of a comparison, exchanged at a press."""

from __future__ import annotations

from typing import Any

import streamlit as st

from isogloss.pages.widgets.links import address


def button(*keys: str) -> None:
    """Draw the button that exchanges the choices of two controls, or the first two of one that has several."""
    st.button(
        "Swap", icon=":material/swap_horiz:", key="swap", on_click=_swap, args=(keys,), help="A becomes B, and B becomes A."
    )


def _swap(keys: tuple[str, ...]) -> None:
    """Exchange before the page is drawn: afterwards a control's value cannot be set."""
    state: Any = st.session_state
    if len(keys) == 1:
        first, second, *others = state[keys[0]]
        state[keys[0]] = [second, first, *others]
    else:
        state[keys[0]], state[keys[1]] = state[keys[1]], state[keys[0]]
    address.step()
