"""What few change: folded away, of a form under a label that says how many settings are not at their default."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.backend.experiments.words import count


def settings(key: str, defaults: Mapping[str, object]) -> DeltaGenerator:
    """Draw the expander *More* of the form `key`; draw the settings in it.

    `defaults` are what the settings stand at untouched, by their keys; of one that shows names, the name.
    """
    different = changed(defaults)
    label = f"More · {count(different, 'setting')} changed" if different else "More"
    state = f"{key}-more"
    if state in st.session_state:  # with another label it is another expander, which would begin folded
        st.session_state[state] = bool(st.session_state[state])
    return st.expander(label, icon=":material/tune:", key=state, on_change="rerun")


def changed(defaults: Mapping[str, object]) -> int:
    """Return how many settings are not at their default, by their keys."""
    return sum(_differs(each, default) for each, default in defaults.items())


def view_options(label: str = "View options") -> DeltaGenerator:
    """Draw the button that opens the controls of a view that few change; draw them in it."""
    return st.popover(label, icon=":material/tune:", key="view-options")


def _differs(key: str, default: object) -> bool:
    """Return whether a setting is not at its default: before it is drawn, as the link has it."""
    if key in st.session_state:
        value = st.session_state[key]
        return list(value) != list(default) if isinstance(default, (list, tuple)) else bool(value != default)
    if key not in st.query_params:
        return False
    texts = [str(each) for each in default] if isinstance(default, (list, tuple)) else [str(default)]
    return st.query_params.get_all(key) != texts
