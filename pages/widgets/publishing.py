"""*Publish*: the controls by which a board, a model or the workspace becomes an atlas."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from isogloss.backend.atlas import publish
from isogloss.backend.atlas.site import Content
from isogloss.backend.boards.export import slug
from isogloss.pages.widgets import making
from isogloss.pages.widgets.workspace import workspaces

SAID = (
    "Static pages that anybody opens, from a disk or any server: {what}. Sentences, paths and who wrote what stay here; your "
    "texts and notes leave as they are."
)


def offer(key: str, of: str, what: str, name: str, content: Callable[[], Content]) -> None:
    """Draw what publishes something (`of`) as a zip that is called by its `name`; `what` says what is in it."""
    st.caption(SAID.format(what=what))
    licence = st.text_input("Licence of the numbers", placeholder="CC-BY-4.0", key=f"{key}-licence", max_chars=80)
    exact = st.checkbox("All digits of the scores to download (four times as large)", key=f"{key}-exact")
    places = workspaces()

    def make(tell: making.Progress) -> bytes:
        return publish.zipped(publish.with_said(content(), "", licence.strip(), [], exact=exact), places, tell)

    file = slug(name)[:60].strip("-") or "scores"
    making.offer(key, of, "Make the atlas", f"{file}-atlas.zip", make)
