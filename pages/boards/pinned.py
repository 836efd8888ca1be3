"""One pinned figure on its board: drawn anew, what changed, its notes, its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend import people
from isogloss.backend.boards import board
from isogloss.backend.boards.again import Again, again
from isogloss.backend.boards.markdown import for_streamlit
from isogloss.backend.boards.readable import readable
from isogloss.backend.boards.records import Note, Opened, Pin
from isogloss.backend.boards.titles import caption_of, title_of
from isogloss.backend.charts.parts import theme
from isogloss.backend.charts.parts.export import without_webgl
from isogloss.backend.experiments.registry import FAMILIES
from isogloss.backend.files import digest
from isogloss.backend.settings import settings
from isogloss.pages.widgets import fitted
from isogloss.pages.widgets.navigation import page_of
from isogloss.pages.widgets.server.keyed import BY_KEY, Keyed
from isogloss.pages.widgets.words import ago, verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

MARKDOWN = "Markdown: # heading, **bold**, - list, | table |, [link](https://…)."
ON_CARD = 4
"""A browser keeps sixteen pictures of the graphics card's, of which a figure takes two or three, and empties the oldest."""
QUIET = ("models", "embeddings", "jobs", board.FOLDER)
"""Folders of a workspace that hold nothing that a figure shows."""


def draw(on: Opened, place: int, pin: Pin, cards: Iterator[int]) -> None:
    """Draw a pin and its notes: a figure under its title, or people's own text. `cards`: as for `figure`."""
    if pin.is_text:
        with st.container(key=f"text-{pin.id}"):
            _notes(on, place, pin)
        return
    with st.container(border=True, key=f"pin-{pin.id}"), guard():
        shown = drawn(on.board.id, pin)
        number = sum(not each.is_text for each in on.pins[: place + 1])
        st.markdown(f"**{number}. {verbatim(title_of(pin, shown.rests_on))}**")
        if shown.said:
            st.warning(verbatim(shown.said), icon=":material/update:")
        figure(shown, pin, f"pin-{pin.id}", pin.alt, cards)
        by = f" by {verbatim(pin.by)}" if pin.by else ""
        st.caption(f"{verbatim(caption_of(shown.rests_on))}  \nPinned {ago(pin.at.timestamp())}{by}")
        _notes(on, place, pin)
        with st.container(horizontal=True, vertical_alignment="center"):
            if not people.refusal("note"):
                with st.popover("Add a note", icon=":material/add_comment:", type="tertiary", key=f"add-{pin.id}"):
                    edit(on, pin, None)
            _open(pin)
            _move(on, place, pin, title_of(pin, shown.rests_on))


def figure(shown: Again, pin: Pin, key: str, alt: str, cards: Iterator[int]) -> None:
    """Draw what a pin shows: its picture, or its rows where it is a table.

    `cards` counts the figures of the page whose points the graphics card draws. After `ON_CARD` of them points are shapes.
    """
    if shown.picture is None:
        table(shown, f"{key}-rows", alt)
        return
    picture = shown.picture
    if any(trace.type == "scattergl" for trace in picture.data) and next(cards) >= ON_CARD:
        picture = go.Figure(without_webgl(picture.to_dict()))
    fitted.chart(picture, f"{key}-figure", config=theme.config(pin.name), alt=alt)


def table(shown: Again, key: str, alt: str, height: int | Literal["auto"] = "auto") -> None:
    """Draw a pinned table as its page writes columns and numbers."""
    rows, formats = readable(shown.rows)
    columns = {name: st.column_config.NumberColumn(format=each) for name, each in formats.items()}
    st.dataframe(rows, hide_index=True, height=height, key=key, alt=alt, column_config=columns, placeholder="–")


def removed(on: Opened, pin: Pin) -> None:
    """Draw the line of a figure that was removed from the board."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(verbatim(pin.title or pin.name))
        if not people.refusal("pin") and st.button("Put back", key=f"back-{pin.id}", type="tertiary", icon=":material/undo:"):
            with guard():
                board.put_back(settings().workspace, on.board.id, pin.id)
            st.rerun()


def drawn(of: str, pin: Pin) -> Again:
    """Return a pin as it is now, from the cache where nothing in the workspaces has changed."""
    return _drawn(Keyed(digest([of, pin.id, pin.recipe, _stamp(workspaces())]), (of, pin)))


@st.cache_resource(show_spinner="Drawing", max_entries=128, hash_funcs=BY_KEY)
def _drawn(asked: Keyed[tuple[str, Pin]]) -> Again:
    of, pin = asked.value
    return again(workspaces(), of, pin)


def _stamp(folders: list[Path]) -> list[tuple[str, int]]:
    """Return when something was last published in each folder that figures are drawn from."""
    stamps = []
    for workspace in folders:
        for shelf in sorted(workspace.iterdir()) if workspace.is_dir() else []:
            if shelf.is_dir() and shelf.name not in QUIET:
                stamps += [(str(each), each.stat().st_mtime_ns) for each in (shelf, *shelf.iterdir()) if each.is_dir()]
    return sorted(stamps)


def stamp_of(id_: str) -> str:
    """Return what is another after any change of a board."""
    folders = [board.folder_of(workspace, id_) for workspace in workspaces()]
    files = (path for folder in folders for path in folder.glob("**/*.json"))
    return digest(sorted((str(path), path.stat().st_mtime_ns) for path in files if "pictures" not in path.parts))


def _move(on: Opened, place: int, pin: Pin, title: str = "") -> None:
    """Draw what moves a pin, names it and removes it; what is dragged is moved by `order`."""
    ids = [each.id for each in on.pins]
    may_remove = not people.refusal("change", of=pin.by)
    if people.refusal("pin") and not may_remove:
        return
    with st.popover("More", icon=":material/more_horiz:", type="tertiary", key=f"more-{pin.id}"):
        if not people.refusal("pin"):
            for icon, label, to in (
                ("vertical_align_top", "To the top", 0),
                ("arrow_upward", "Up", place - 1),
                ("arrow_downward", "Down", place + 1),
            ):
                still = to == place or not 0 <= to < len(ids)
                if st.button(label, key=f"{label}-{pin.id}", icon=f":material/{icon}:", type="tertiary", disabled=still):
                    arrange(on.board.id, [*(others := ids[:place] + ids[place + 1 :])[:to], pin.id, *others[to:]])
                    st.rerun()
            if title:
                _retitle(on, pin, title)
        if may_remove and st.button("Remove", key=f"off-{pin.id}", icon=":material/close:", type="tertiary"):
            with guard():
                board.remove(settings().workspace, on.board.id, pin.id)
            st.rerun()


def arrange(of: str, ids: list[str]) -> None:
    """Keep another order of a board's pins."""
    with guard():
        board.arrange(settings().workspace, of, ids)


def _retitle(on: Opened, pin: Pin, title: str) -> None:
    with st.form(f"title-{pin.id}", border=False):
        written = st.text_input("Title", title, max_chars=board.LONGEST_TITLE, key=f"title-{pin.id}-text")
        if st.form_submit_button("Save title"):
            with guard():
                board.retitle(settings().workspace, on.board.id, pin, "" if written == title and not pin.title else written)
            st.rerun()


def _open(pin: Pin) -> None:
    """Draw a link to the view that the figure was pinned from."""
    parts = urlsplit(pin.link)
    name = parts.path.strip("/")
    if name in {family.name for family in FAMILIES if family.menu}:
        st.page_link(
            page_of(name), label="Open", icon=":material/open_in_new:", query_params=parse_qs(parts.query), width="content"
        )


def _notes(on: Opened, place: int, pin: Pin) -> None:
    for note in on.notes.get(pin.id, ()):
        with st.container(horizontal=True, vertical_alignment="top"):
            text_of(note, signed=not pin.is_text)
            if not people.refusal("change", of=note.by):
                with st.popover("Edit", icon=":material/edit:", type="tertiary", key=f"edit-{note.id}"):
                    edit(on, pin, note)
            if pin.is_text and note is on.notes[pin.id][-1]:
                _move(on, place, pin)


def text_of(note: Note, *, signed: bool = True) -> None:
    """Draw a note, and whose it is."""
    st.markdown(for_streamlit(note.text), width="stretch")
    if signed:
        st.caption(f"{verbatim(note.by) or 'Note'}, {ago(note.at.timestamp())}", width="content")


def edit(on: Opened, pin: Pin | None, note: Note | None) -> None:
    """Write a note, or another text in its place; emptied, it goes. Without a pin, write a text of its own."""
    beside = len(on.pins) if pin is None else len(on.notes.get(pin.id, ()))
    key = f"note-{pin.id if pin else 'text'}-{beside}" if note is None else f"note-{note.id}"
    what = "Note" if pin and not pin.is_text else "Text"
    with st.form(key, border=False):
        limit = board.LONGEST_NOTE
        text = st.text_area(what, note.text if note else "", max_chars=limit, height=120, key=f"{key}-text", help=MARKDOWN)
        name = people.now().name
        if not name:
            name = st.text_input("Your name", note.by if note else st.session_state.get("note-name", ""), key=f"{key}-by")
        if st.form_submit_button("Save", type="primary"):
            st.session_state["note-name"] = name  # where people log in, the board takes their login's
            _save(on, pin, note, text, name.strip()[:80])
    if note is not None:
        st.caption(f"Save an empty {what.lower()} to take it away.")


def _save(on: Opened, pin: Pin | None, note: Note | None, text: str, by: str) -> None:
    workspace = settings().workspace
    with guard():
        if pin is None:
            board.write_text(workspace, on.board.id, text, by=by)
        else:
            board.write_note(workspace, on.board.id, pin.id, text, by=by, replaces=[note.id] if note else [])
        st.rerun()
