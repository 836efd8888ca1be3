"""*Publish*: the controls by which a board, a model or the workspace becomes an atlas."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from isogloss.backend.atlas import publish, texts
from isogloss.backend.atlas.site import Content
from isogloss.backend.boards.export import slug
from isogloss.backend.experiments.words import several
from isogloss.pages.widgets import making
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

SAID = (
    "Static pages that anybody opens, from a disk or any server: {what}. Paths, who wrote what and, unless you tick them, "
    "sentences stay here; your texts and notes leave as they are."
)


def offer(key: str, of: str, what: str, name: str, content: Callable[[], Content]) -> None:
    """Draw what publishes something (`of`) as a zip that is called by its `name`; `what` says what is in it."""
    st.caption(SAID.format(what=what))
    licence = st.text_input("Licence of the numbers", placeholder="CC-BY-4.0", key=f"{key}-licence", max_chars=80)
    exact = st.checkbox("All digits of the scores to download (four times as large)", key=f"{key}-exact")
    places = workspaces()
    sentences = _sentences(key)

    def make(tell: making.Progress) -> bytes:
        return publish.zipped(
            publish.with_said(content(), "", licence.strip(), [], exact=exact, sentences=sentences), places, tell
        )

    file = slug(name)[:60].strip("-") or "scores"
    making.offer(key, of, "Make the atlas", f"{file}-atlas.zip", make)


def _sentences(key: str) -> bool:
    """Draw the tick by which confused sentences come along, named with the licences that allow it; what stays is said."""
    known = texts.library(workspaces())
    allowed, stay = texts.credits_of(known), texts.refusal(known)
    if not known:
        return False
    label = f"Confused sentences that were looked at, of {several(allowed)}" if allowed else "Confused sentences"
    return st.checkbox(verbatim(label), key=f"{key}-sentences", disabled=not allowed, help=verbatim(stay) or None)
