"""A board as files to take away."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from isogloss.backend.atlas import publish
from isogloss.backend.boards import images
from isogloss.backend.boards.export import slug
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.records import Opened
from isogloss.backend.boards.report import to_page, to_zip
from isogloss.backend.boards.versions import Version
from isogloss.backend.charts.parts.for_print import Width
from isogloss.pages.widgets.figures.figure import WIDTHS
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

Progress = Callable[[float, str], object]
"""Is told the share done, 0 to 1, and what is in hand."""
PUBLISHED = (
    "Static pages that anybody opens, from a disk or any server: these figures, and the scores that they rest on to walk "
    "through. Sentences, paths and who wrote what stay here; your texts and notes leave as they are."
)


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
    file = offer_page(on)
    with st.popover("For a paper (zip)", icon=":material/folder_zip:", key="board-paper", on_change="rerun") as paper:
        if paper.open:
            _paper(on, file)
    with st.popover("Publish", icon=":material/public:", key="board-publish", on_change="rerun") as publishing:
        if publishing.open:
            _atlas(on, file)


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
    _made(
        "zip", on, f"{file}.zip", lambda tell: to_zip(on.board.title, parts_of(places, on, server), width=width, progress=tell)
    )


def _atlas(on: Opened, file: str) -> None:
    st.caption(PUBLISHED)
    licence = st.text_input("Licence of the numbers", placeholder="CC-BY-4.0", key="board-licence", max_chars=80)
    places = workspaces()

    def make(tell: Progress) -> bytes:
        content = publish.with_said(publish.of_board(places, on.board.id), "", licence.strip(), [])
        return publish.zipped(content, places, tell)

    _made("atlas", on, f"{file}-atlas.zip", make)


def _made(kind: str, on: Opened, file: str, make: Callable[[Progress], bytes]) -> None:
    """Draw the button that has a zip made, beside the page, how far it is, and its download."""
    slot = f"board-{kind}-made"
    making: _Making | None = st.session_state.get(slot)
    what = "Make the zip" if kind == "zip" else f"Make the {kind}"
    if st.button(what, type="primary", key=f"board-{kind}-make", disabled=making is not None and not making.done):
        st.session_state[slot] = making = _Making(on.board.id)
        threading.Thread(target=_make, args=(making, make), daemon=True).start()  # a rerun of the page would end it half-way
        st.rerun()
    if making is None or making.board != on.board.id:
        return
    if not making.done:
        _progress(making)
    elif making.error:
        st.error(verbatim(making.error), icon=":material/error:")
    else:
        label = f"Download ({len(making.made) / 1e6:.1f} MB)"
        st.download_button(label, making.made, file, "application/zip", on_click="ignore", key=f"board-{kind}")


@st.fragment(run_every=1.0)
def _progress(making: _Making) -> None:
    """Draw how far a zip is, and the page again once it is made."""
    if making.done:
        st.rerun()
    st.progress(making.share, verbatim(making.what))


def _make(making: _Making, make: Callable[[Progress], bytes]) -> None:
    """Make a zip, beside the page."""

    def tell(share: float, what: str) -> None:
        making.share, making.what = min(share, 1.0), what

    try:
        making.made = make(tell)
    except Exception as error:  # noqa: BLE001 — nobody else would say it
        making.error = str(error) or type(error).__name__
    making.done = True
