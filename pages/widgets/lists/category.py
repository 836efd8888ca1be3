"""The box of the user's own category of a confusion, of words or of sentences."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from isogloss.backend import people
from isogloss.backend.experiments import categories
from isogloss.backend.experiments.categories import Key
from isogloss.backend.files import digest
from isogloss.backend.settings import settings
from isogloss.pages.widgets.workspace import guard


def box(key: Key, category: str, names: Collection[str]) -> None:
    """Draw the box, `names` to choose from; it is kept as soon as one is chosen or typed."""
    name = f"category-{digest(key)}"
    options = sorted({*names, *([category] if category else [])})

    def keep() -> None:
        with guard():
            categories.set(settings().workspace, key, st.session_state[name] or "")

    st.selectbox(
        "Category",
        options,
        index=options.index(category) if category else None,
        key=name,
        accept_new_options=True,
        placeholder="Category: choose or type one",
        label_visibility="collapsed",
        on_change=keep,
        disabled=people.refusal("note") is not None,
        help=people.refusal("note"),
        width=320,
    )
