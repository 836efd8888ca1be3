"""Boards: figures that a group has pinned, drawn anew from the scores, with notes."""

from __future__ import annotations

import streamlit as st

from isogloss.backend import people
from isogloss.backend.boards import board
from isogloss.backend.boards.records import Board, Opened
from isogloss.backend.settings import settings
from isogloss.pages.boards import order, pinned, presented, report, versions
from isogloss.pages.widgets import navigation, notes
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.figures import pin
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

REFRESH_SECONDS = 4.0
"""How soon one sees what another did."""
LACKING = "board-lacking"
"""Session state: the board that the link asked for in vain, and the one that is shown instead."""
COLUMNS = {1: "One column", 2: "Two columns"}


def chosen() -> Board | None:
    """Draw the boards' own line: which one, a new one, its title. Returns the board to show."""
    boards = {each.id: each for each in board.boards(workspaces())}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = None
        if boards:
            last = st.session_state.get(pin.LAST)
            usual = last if last in boards else next(iter(boards))
            shown = boards[box("Board", pin.titles_of(list(boards.values())), "board", usual, width=320)]
            if not people.refusal("rename"):
                with st.popover("Rename", icon=":material/edit:", type="tertiary"):
                    _rename(shown)
        if not people.refusal("pin"):
            with st.popover("New board", icon=":material/add:", type="tertiary" if boards else "secondary"):
                _create()
    _say_lacking(list(boards.values()), shown)
    return shown


def _say_lacking(boards: list[Board], shown: Board | None) -> None:
    """Say, until another board is chosen, that the board of the link is in another workspace."""
    asked, here = address.asked("board"), shown.id if shown else ""
    if asked and asked not in {name for each in boards for name in (each.id, each.title)} | set(pin.titles_of(boards).values()):
        address.explained("board")
        st.session_state[LACKING] = asked, here
    if (lacking := st.session_state.get(LACKING)) and lacking[1] == here:
        st.info(
            f"The board of this link ({verbatim(lacking[0][:40])}) is not in this workspace"
            f"{'. Another one is shown' if shown else ''}. Open the link where it was made, or ask for the board's report.",
            icon=":material/link_off:",
        )


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
    version = versions.chosen(on)
    if version is not None:
        versions.draw(version)
        return
    with st.container(horizontal=True):
        if on.pins:
            presented.button()
            report.offer(on)
            versions.offer(on)
        _tools(on)
    if presented.draw(on):
        return
    order.draw(on)
    if on.removed:
        with st.expander(f"Removed from this board: {len(on.removed)}"):
            for each in on.removed:
                pinned.removed(on, each)


def _tools(on: Opened) -> None:
    """Draw what adds a text, and the choice of columns."""
    if not people.refusal("pin") and not people.refusal("note"):
        with st.popover("Add text", icon=":material/title:", key="board-text"):
            pinned.edit(on, None, None)
    if not people.refusal("pin") and len(on.pins) > 1:
        chosen = st.segmented_control(
            "Columns",
            COLUMNS,
            format_func=COLUMNS.__getitem__,
            default=on.board.columns,
            required=True,
            key=f"columns-{on.board.id}-{on.board.columns}",
            label_visibility="collapsed",
        )
        if chosen != on.board.columns:
            with guard():
                board.lay_out(settings().workspace, on.board, int(chosen))
                st.rerun()


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
