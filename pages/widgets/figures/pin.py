"""Pin a figure or table to a board of the workspace."""

from __future__ import annotations

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.boards import board
from isogloss.backend.boards.card import Card
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.boards.records import Board, Explained, Pin
from isogloss.backend.errors import IsoglossError
from isogloss.backend.settings import settings
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.words import verbatim

LAST = "board-last"
"""Session state: the board that was pinned to or looked at last."""
NEW = "New board"
FIRST_TITLE = "Meeting"


def offer(key: str, name: str, recipe: Recipe, rows: pd.DataFrame, picture: go.Figure | None, card: Card, alt: str) -> None:
    """Draw what a figure's *Pin* opens (the popover `key`): to which board, with which note."""
    chosen = _board(board.boards([settings().workspace]), key)
    if chosen is None:
        st.text_input("Title of the board", FIRST_TITLE, max_chars=board.LONGEST_TITLE, key=f"{key}-title")
    st.text_area("Note", key=f"{key}-note", max_chars=board.LONGEST_NOTE, height=90, placeholder="Optional")
    explained = Explained(name=card.name, text=card.text, source=card.source, bibtex=card.bibtex)
    keep = partial(
        board.pin, recipe=recipe, rows=rows, picture=picture, name=name, card=explained, link=address.shown(), alt=alt
    )
    st.button("Pin", type="primary", icon=":material/keep:", key=f"{key}-press", on_click=_press, args=(key, chosen, keep))


def titles_of(boards: list[Board]) -> dict[str, str]:
    """Return what each board is called, by id: with its day where others are called so too, its id where that is one too."""
    titles = {each.id: each.title for each in boards}
    for more in ("created_at:%-d %b %Y", "created_at:%H:%M", "id"):
        same = {id_ for id_, title in titles.items() if list(titles.values()).count(title) > 1}
        titles |= {each.id: f"{titles[each.id]}, {f'{{0.{more}}}'.format(each)}" for each in boards if each.id in same}
    return titles


def _press(key: str, chosen: Board | None, keep: partial[Pin]) -> None:
    """Pin the figure and close the popover: while one is open, a click on the menu would only close it."""
    workspace = settings().workspace
    try:
        on = chosen or board.create(workspace, st.session_state[f"{key}-title"])
        pin = keep(workspace, on.id)
        if note := st.session_state[f"{key}-note"].strip():
            board.write_note(workspace, on.id, pin.id, note)
    except IsoglossError as error:
        notes.after_rerun(verbatim(str(error)), ":material/error:")
        return
    st.session_state[LAST] = on.id
    st.session_state[f"{key}-note"] = ""
    st.session_state[key] = False
    notes.after_rerun(f"Pinned to the board {verbatim(on.title)}.")


def _board(own: list[Board], key: str) -> Board | None:
    """Return the board chosen, the last one used by default; None for a new one."""
    if not own:
        return None
    boards: dict[str, Board] = {each.id: each for each in own}
    titles = titles_of(own) | {"": NEW}
    last = st.session_state.get(LAST)
    index = next((place for place, id_ in enumerate(titles) if id_ == last), 0)
    return boards.get(st.selectbox("Board", list(titles), index, titles.__getitem__, key=f"{key}-board", width=260))
