"""Pin a figure or table to a board of the workspace."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.boards import board
from backend.boards.board import Board, Explained
from backend.boards.recipe import Recipe
from backend.settings import settings
from pages.widgets import notes
from pages.widgets.card import Card
from pages.widgets.links import address
from pages.widgets.words import plain
from pages.widgets.workspace import guard

LAST = "board-last"
"""Session state: the board that was pinned to or looked at last."""
NEW = "New board"
FIRST_TITLE = "Meeting"


def offer(key: str, name: str, recipe: Recipe, rows: pd.DataFrame, picture: go.Figure | None, card: Card, alt: str) -> None:
    """Draw what a figure's *Pin* opens: to which board, with which note."""
    own = board.boards([settings().workspace])
    chosen = _board(own, key)
    title = ""
    if chosen is None:
        title = st.text_input("Title of the board", FIRST_TITLE, max_chars=board.LONGEST_TITLE, key=f"{key}-title")
    note = st.text_area("Note", key=f"{key}-note", max_chars=board.LONGEST_NOTE, height=90, placeholder="Optional")
    if not st.button("Pin", type="primary", icon=":material/keep:", key=f"{key}-press"):
        return
    with guard():
        workspace = settings().workspace
        on = chosen or board.create(workspace, title)
        explained = Explained(name=card.name, text=card.text, source=card.source, bibtex=card.bibtex)
        pin = board.pin(workspace, on.id, recipe, rows, picture, name=name, card=explained, link=_link(), alt=alt)
        if note.strip():
            board.write_note(workspace, on.id, pin.id, note)
    st.session_state[LAST] = on.id
    notes.after_rerun(f"Pinned to the board {plain(on.title)}.")
    st.rerun()


def _board(own: list[Board], key: str) -> Board | None:
    """Return the board chosen, the last one used by default; None for a new one."""
    if not own:
        return None
    titles: dict[str, Board | None] = {each.id: each for each in own} | {"": None}
    last = st.session_state.get(LAST)
    index = next((place for place, id_ in enumerate(titles) if id_ == last), 0)
    return titles[st.selectbox("Board", list(titles), index, lambda id_: _title(titles[id_]), key=f"{key}-board", width=260)]


def _title(of: Board | None) -> str:
    return NEW if of is None else of.title


def _link() -> str:
    """Return the page and parameters of what is shown, from the server's root."""
    if link := address.link_before():
        return link
    asked = {name: st.query_params.get_all(name) for name in st.query_params}
    path = "/" + urlsplit(st.context.url or "").path.strip("/").split("/")[-1]
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path
