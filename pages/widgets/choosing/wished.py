"""What was chosen in a control that cannot have it now: said, and back as soon as it can."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from isogloss.pages.widgets.choosing.choices import has_value
from isogloss.pages.widgets.links import address

WISHES = "wishes"
"""Session state: by control, what was chosen in it that it cannot have now, and what stands in its place."""


def wished(key: str, options: Sequence[str], every: Sequence[str], instead: str) -> str | None:
    """Call before the select box `key` is drawn: returns what was chosen of `every` and is not among `options` now, or None.

    `instead` is chosen in its place, until the options have it again or something else is chosen.
    """
    wishes: dict[str, tuple[str, str]] = st.session_state.setdefault(WISHES, {})
    chosen = st.session_state[key] if has_value(key) else address.asked(key)
    if chosen in every and chosen not in options:
        wishes[key] = (str(chosen), instead)
        address.explained(key)
        if key in st.session_state:
            st.session_state[key] = instead
    elif key in wishes and chosen != wishes[key][1]:
        del wishes[key]
    elif key in wishes and wishes[key][0] in options:
        st.session_state[key] = wishes.pop(key)[0]
    return wishes[key][0] if key in wishes else None
