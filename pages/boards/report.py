"""A board as files to take away."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.atlas import publish
from isogloss.backend.boards import images
from isogloss.backend.boards.export import slug
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.records import Opened
from isogloss.backend.boards.report import to_page, to_zip
from isogloss.backend.boards.versions import Version
from isogloss.backend.charts.parts.for_print import Width
from isogloss.pages.widgets import making, publishing
from isogloss.pages.widgets.figures.figure import WIDTHS
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.workspace import workspaces


def offer(on: Opened) -> None:
    """Draw the buttons of the report."""
    file = offer_page(on)
    with st.popover("For a paper (zip)", icon=":material/folder_zip:", key="board-paper", on_change="rerun") as paper:
        if paper.open:
            _paper(on, file)
    with st.popover("Publish", icon=":material/public:", key="board-publish", on_change="rerun") as opened:
        if opened.open:
            what = "these figures, and the scores that they rest on to walk through"
            of = partial(publish.of_board, workspaces(), on.board.id)
            publishing.offer("board-atlas", on.board.id, what, on.board.title, of)


def offer_page(on: Opened, version: Version | None = None) -> str:
    """Draw the button of the report as a page, of a version as it was; returns what files of the board are called."""
    server = address.server()
    title = f"{on.board.title}, {version.title}" if version else on.board.title
    file = slug(title)[:60].strip("-") or "board"
    st.download_button(
        "Report (HTML)",
        lambda: to_page(title, parts_of(workspaces(), on, server, version=version)).encode(),
        f"{file}.html",
        "text/html",
        icon=":material/download:",
        on_click="ignore",
        key="board-html",
    )
    return file


def _paper(on: Opened, file: str) -> None:
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
    server: str = address.server()
    width: Width = "column" if chosen == "column" else "page"
    places = workspaces()
    making.offer(
        "board-zip",
        on.board.id,
        "Make the zip",
        f"{file}.zip",
        lambda tell: to_zip(on.board.title, parts_of(places, on, server), width=width, progress=tell),
    )
