"""A board as files to take away."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from backend.boards import images
from backend.boards.board import Opened
from backend.boards.export import slug
from backend.boards.parts import parts_of
from backend.boards.report import to_page, to_zip
from backend.charts.parts.for_print import Width
from pages.widgets.figure import WIDTHS
from pages.widgets.words import plain
from pages.widgets.workspace import guard, workspaces

MADE = "board-zip"
"""Session state: the board whose zip was made last, and the zip."""


def offer(on: Opened) -> None:
    """Draw the buttons of the report."""
    server = _server()
    file = slug(on.board.title)[:60].strip("-") or "board"
    with st.container(horizontal=True):
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
    width: Width = "column" if chosen == "column" else "page"
    if st.button("Make the zip", type="primary", key="board-zip-make"):
        bar = st.progress(0.0, "Reading scores")
        with guard():
            parts = parts_of(workspaces(), on, _server())
            made = to_zip(on.board.title, parts, width=width, progress=lambda share, what: bar.progress(share, plain(what)))
        bar.empty()
        st.session_state[MADE] = (on.board.id, made)
    of, ready = st.session_state.get(MADE, ("", b""))
    if of == on.board.id:
        size = f"{len(ready) / 1e6:.1f} MB"
        st.download_button(f"Download ({size})", ready, f"{file}.zip", "application/zip", on_click="ignore", key="board-zip")


def _server() -> str:
    """Return the address of the server, without a page."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
