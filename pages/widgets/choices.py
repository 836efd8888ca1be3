"""Select boxes whose options change with the selection: a choice that is no longer there gives way to the default."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st


def start(key: str, options: Sequence[object], index: int = 0) -> int:
    """Call before the select box `key` is drawn; returns its `index`.

    A choice that `options` lack is replaced in the session, which the browser hears of. Were it only deleted, the box would go
    on to show it.
    """
    if key not in st.session_state or st.session_state[key] in options:
        return index
    st.session_state[key] = options[index]
    return 0  # the session's value counts; Streamlit warns of a default beside it
