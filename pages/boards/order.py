"""The pins of a board in their order: under or beside each other, moved by dragging their titles."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path

import streamlit as st

from isogloss.backend import people
from isogloss.backend.boards.records import Opened
from isogloss.pages.boards import pinned
from isogloss.pages.widgets import fitted

BESIDE = 1500
"""Pixels of a window from which on two figures stand beside each other: a matrix with its colour bar needs so much."""
DRAGGED = "board-drag"
STYLE = """<style>
@media (min-width: %dpx) {
  .st-key-board-narrow { display: none; }
  %s {
    display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); align-items: start;
    > :has(> [class*=st-key-text-]) { grid-column: 1 / -1; }
    > * { min-width: 0; }
    %s { overflow-x: auto; overflow-y: hidden; > [data-testid=stFullScreenFrame] { min-width: 37rem; } }
  }
  [data-testid=stMainBlockContainer] { padding-inline: 2rem; }
}
</style>"""
_drag = st.components.v2.component(
    "isogloss_drag",
    html="<div></div>",
    css=":host { display: none; }\n",
    js=Path(__file__).with_name("drag.js").read_text(encoding="utf-8"),
)


def draw(on: Opened) -> None:
    """Draw all pins of a board."""
    if on.board.columns == 2:
        put_beside(".st-key-board-pins")
        with st.container(key="board-narrow"):
            st.caption(f"Two columns need a window of {BESIDE:,} pixels: in this one, figures stand below each other.")
    cards = count()
    with st.container(key="board-pins"):
        for place, each in enumerate(on.pins):
            pinned.draw(on, place, each, cards)
    if len(on.pins) > 1 and not people.refusal("pin"):
        ids = [each.id for each in on.pins]
        _drag(key=DRAGGED, data={"ids": ids}, on_moved_change=partial(_moved, on.board.id, ids))


def put_beside(selector: str) -> None:
    """Have what is in the containers of a CSS selector stand beside each other, two by two, where the window is wide enough."""
    st.html(STYLE % (BESIDE, selector, fitted.FIGURE))


def _moved(of: str, ids: list[str]) -> None:
    """Set a pin in the place of the one that it was dropped on."""
    match st.session_state[DRAGGED].moved:
        case [str(moved), str(onto)] if moved != onto and {moved, onto} <= set(ids):
            others = [each for each in ids if each != moved]
            place = others.index(onto) + (ids.index(moved) < ids.index(onto))
            pinned.arrange(of, [*others[:place], moved, *others[place:]])
