"""What a link says of a choice: the value that a spec has (`protocol=sampled`), not its name on the page, which may change.

Streamlit's controls read and write the names that they show. So a value becomes its name before the control reads the link, and
the name its value where the address is written. A name, as older links have it, still opens what it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from isogloss.pages.widgets.server import streamlit_internals

ASKED = "link-asked"
"""Session state: the link that the page was opened with, in its first run."""


def announce(key: str, names: Mapping[str, str], formerly: Mapping[str, str] | None = None) -> None:
    """Let links say the values of the choice `key` (value → name): call before it is drawn.

    `formerly` is what links of before called a choice, and the name that it has today.
    """
    _values()[key] = {name: value for value, name in names.items()}
    known = {**(formerly or {}), **names}
    streamlit_internals.reword(key, known)
    asked: dict[str, list[str]] = st.session_state.get(ASKED, {})
    if key in asked:
        asked[key] = [known.get(text, text) for text in asked[key]]


def written(shown: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the parameters of a view with the values of the choices that were announced in this run."""
    known = _values()
    return {key: [known.get(key, {}).get(text, text) for text in texts] for key, texts in shown.items()}


def _values() -> dict[str, dict[str, str]]:
    """Return, by key, name → value of the choices of this run."""
    return streamlit_internals.once_a_run("values", dict)
