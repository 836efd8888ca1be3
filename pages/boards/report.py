"""A board as files to take away."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import streamlit as st

from isogloss.backend.boards import images
from isogloss.backend.boards.export import slug
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.records import Opened
from isogloss.backend.boards.report import to_page, to_zip
from isogloss.backend.charts.parts.for_print import Width
from isogloss.pages.widgets.figures.figure import WIDTHS
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

MADE = "board-zip"
"""Session state: the zip that was asked for last."""


@dataclass
class _Making:
    """A zip in the making; one thread writes it, the page reads it."""

    board: str
    share: float = 0.0
    what: str = "Reading scores"
    made: bytes = b""
    error: str = ""
    done: bool = False


def offer(on: Opened) -> None:
    """Draw the buttons of the report."""
    server = address.server()
    file = slug(on.board.title)[:60].strip("-") or "board"
    st.download_button(
        "Report (HTML)",
        lambda: to_page(on.board.title, parts_of(workspaces(), on, server)).encode(),
        f"{file}.html",
        "text/html",
        icon=":material/download:",
        on_click="ignore",
        key="board-html",
    )
    with st.popover("For a paper (zip)", icon=":material/folder_zip:", key="board-paper", on_change="rerun") as paper:
        if paper.open:
            _zip(on, file)


def _zip(on: Opened, file: str) -> None:
    st.caption("PDF, SVG and PNG of every figure, tables as LaTeX and CSV, Parquet, recipes, BibTeX, methods, versions.")
    if images.browser() is None:
        st.caption(images.NO_BROWSER)
    chosen = st.segmented_control(
        "Width of figures",
        list(WIDTHS),
        format_func=lambda width: WIDTHS[width],
        default="page",
        required=True,
        key="board-width",
    )
    making: _Making | None = st.session_state.get(MADE)
    if st.button("Make the zip", type="primary", key="board-zip-make", disabled=making is not None and not making.done):
        st.session_state[MADE] = making = _Making(on.board.id)
        work = (making, on, address.server(), "column" if chosen == "column" else "page")
        threading.Thread(target=_make, args=work, daemon=True).start()  # a rerun of the page would end it half-way
        st.rerun()
    if making is None or making.board != on.board.id:
        return
    if not making.done:
        _progress(making)
    elif making.error:
        st.error(verbatim(making.error), icon=":material/error:")
    else:
        label = f"Download ({len(making.made) / 1e6:.1f} MB)"
        st.download_button(label, making.made, f"{file}.zip", "application/zip", on_click="ignore", key="board-zip")


@st.fragment(run_every=1.0)
def _progress(making: _Making) -> None:
    """Draw how far a zip is, and the page again once it is made."""
    if making.done:
        st.rerun()
    st.progress(making.share, verbatim(making.what))


def _make(making: _Making, on: Opened, server: str, width: Width) -> None:
    """Make a zip, beside the page."""

    def tell(share: float, what: str) -> None:
        making.share, making.what = share, what

    try:
        making.made = to_zip(on.board.title, parts_of(workspaces(), on, server), width=width, progress=tell)
    except Exception as error:  # noqa: BLE001 — nobody else would say it
        making.error = str(error) or type(error).__name__
    making.done = True
