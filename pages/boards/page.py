"""Boards: figures that a group has pinned, drawn anew from the scores, with notes."""

from __future__ import annotations

import streamlit as st

from backend import people
from backend.boards import board
from backend.boards.board import Board, Opened
from backend.settings import settings
from pages.boards import pinned, presented, report
from pages.widgets import navigation, notes
from pages.widgets.choosing.choices import select
from pages.widgets.figures import pin
from pages.widgets.links import address
from pages.widgets.words import verbatim
from pages.widgets.workspace import guard, workspaces

REFRESH_SECONDS = 4.0
"""How soon one sees what another did."""


def chosen() -> Board | None:
    """Draw the boards' own line: which one, a new one, its title. Returns the board to show."""
    boards = board.boards(workspaces())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = None
        if boards:
            titles = {each.id: each for each in boards}
            last = st.session_state.get(pin.LAST)
            index = next((place for place, id_ in enumerate(titles) if id_ == last), 0)
            shown = titles[select("Board", list(titles), "board", width=320, index=index, named=lambda id_: titles[id_].title)]
            if not people.refusal("rename"):
                with st.popover("Rename", icon=":material/edit:", type="tertiary"):
                    _rename(shown)
        if not people.refusal("pin"):
            with st.popover("New board", icon=":material/add:", type="tertiary" if boards else "secondary"):
                _create()
    return shown


def _rename(of: Board) -> None:
    title = st.text_input("Title", of.title, max_chars=board.LONGEST_TITLE, key=f"title-{of.id}")
    if st.button("Rename", key="board-rename", type="primary"):
        with guard():
            board.rename(settings().workspace, of, title)
        st.rerun()


def _create() -> None:
    title = st.text_input("Title", pin.FIRST_TITLE, max_chars=board.LONGEST_TITLE, key="board-title")
    if st.button("Make the board", key="board-create", type="primary"):
        with guard():
            made = board.create(settings().workspace, title)
        st.session_state["board"] = st.session_state[pin.LAST] = made.id
        notes.after_rerun(f"The board {verbatim(made.title)} is there: press *Pin* below any figure.")
        st.rerun()


def show(on: Opened) -> None:
    """Draw what is on a board."""
    if on.damaged:
        st.warning(f"Of this board cannot be read: {verbatim(', '.join(on.damaged))}.", icon=":material/broken_image:")
    if not on.pins:
        st.info("Nothing is pinned to this board. Press *Pin* below a figure on any page.", icon=":material/keep:")
        navigation.links()
    else:
        with st.container(horizontal=True):
            presented.button()
            report.offer(on)
        if presented.draw(on):
            return
    for place, each in enumerate(on.pins):
        pinned.draw(on, place, each)
    if on.removed:
        with st.expander(f"Taken off this board: {len(on.removed)}"):
            for each in on.removed:
                pinned.removed(on, each)


@st.fragment(run_every=REFRESH_SECONDS)
def watch(id_: str) -> None:
    """Draw the page again where another person changed the board."""
    now = pinned.stamp_of(id_)
    if st.session_state.get("board-stamp", (id_, now)) != (id_, now):
        st.session_state["board-stamp"] = (id_, now)
        st.rerun()
    st.session_state["board-stamp"] = (id_, now)


st.title("Boards", anchor=False)
address.room_for_lacking()
with guard():
    if (of := chosen()) is None:
        st.markdown(
            "A board collects figures for a meeting: press *Pin* below any figure, write a note, and everybody who opens this "
            "workspace sees it, drawn from the scores as they are then."
        )
        navigation.links()
    else:
        show(board.open_board(workspaces(), of.id))
        watch(of.id)
