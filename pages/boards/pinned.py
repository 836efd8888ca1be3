"""One pinned figure on its board: drawn anew, what changed, its notes, its place."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import streamlit as st

from backend import people
from backend.boards import board
from backend.boards.again import Again, again
from backend.boards.board import Note, Opened, Pin
from backend.charts.parts import theme
from backend.experiments.registry import FAMILIES
from backend.files import digest
from backend.settings import settings
from pages.widgets import fitted
from pages.widgets.navigation import page_of
from pages.widgets.server.keyed import BY_KEY, Keyed
from pages.widgets.words import ago, verbatim
from pages.widgets.workspace import guard, workspaces

QUIET = ("models", "embeddings", "jobs", board.FOLDER)
"""Folders of a workspace that hold nothing that a figure shows."""


def draw(on: Opened, place: int, pin: Pin) -> None:
    """Draw a pin and its notes."""
    with st.container(border=True, key=f"pin-{pin.id}"):
        _head(on, place, pin)
        with guard():
            shown = drawn(on.board.id, pin)
            if shown.said:
                st.warning(verbatim(shown.said), icon=":material/update:")
            if shown.picture is None:
                st.dataframe(shown.rows, hide_index=True, key=f"pin-{pin.id}-rows", alt=pin.alt)
            else:
                config = theme.config(pin.name)
                fitted.chart(shown.picture, f"pin-{pin.id}-figure", config=config, alt=pin.alt)
        _notes(on, pin)


def removed(on: Opened, pin: Pin) -> None:
    """Draw the line of a figure that was taken off the board."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(verbatim(pin.name))
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


def _head(on: Opened, place: int, pin: Pin) -> None:
    ids = [each.id for each in on.pins]
    may_pin = not people.refusal("pin")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{place + 1}. {verbatim(pin.name)}**", width="stretch")
        by = f" by {verbatim(pin.by)}" if pin.by else ""
        st.caption(f"Pinned {ago(pin.at.timestamp())}{by}", width="content")
        _open(pin)
        for icon, label, to in (("arrow_upward", "Up", place - 1), ("arrow_downward", "Down", place + 1)):
            last = not 0 <= to < len(ids)
            if may_pin and st.button(label, key=f"{label}-{pin.id}", icon=f":material/{icon}:", type="tertiary", disabled=last):
                ids[place], ids[to] = ids[to], ids[place]
                with guard():
                    board.arrange(settings().workspace, on.board.id, ids)
                st.rerun()
        if not people.refusal("change", of=pin.by) and st.button(
            "Take off", key=f"off-{pin.id}", icon=":material/close:", type="tertiary"
        ):
            with guard():
                board.remove(settings().workspace, on.board.id, pin.id)
            st.rerun()


def _open(pin: Pin) -> None:
    """Draw a link to the view that the figure was pinned from."""
    parts = urlsplit(pin.link)
    name = parts.path.strip("/")
    if name in {family.name for family in FAMILIES if family.menu}:
        st.page_link(
            page_of(name), label="Open", icon=":material/open_in_new:", query_params=parse_qs(parts.query), width="content"
        )


def _notes(on: Opened, pin: Pin) -> None:
    for note in on.notes.get(pin.id, ()):
        with st.container(horizontal=True, vertical_alignment="top"):
            text_of(note)
            if not people.refusal("change", of=note.by):
                with st.popover("Edit", icon=":material/edit:", type="tertiary", key=f"edit-{note.id}"):
                    _edit(on, pin, note)
    if not people.refusal("note"):
        with st.popover("Add a note", icon=":material/add_comment:", type="tertiary", key=f"add-{pin.id}"):
            _edit(on, pin, None)


def text_of(note: Note) -> None:
    """Draw a note, and whose it is."""
    st.markdown("  \n".join(verbatim(line) for line in note.text.splitlines()), width="stretch")
    st.caption(f"{verbatim(note.by) or 'Note'}, {ago(note.at.timestamp())}", width="content")


def _edit(on: Opened, pin: Pin, note: Note | None) -> None:
    """Write a note, or another text in its place; emptied, it goes."""
    key = f"note-{pin.id}-{len(on.notes.get(pin.id, ()))}" if note is None else f"note-{note.id}"
    with st.form(key, border=False):
        text = st.text_area("Note", note.text if note else "", max_chars=board.LONGEST_NOTE, height=120, key=f"{key}-text")
        name = people.now().name
        if not name:
            name = st.text_input("Your name", note.by if note else st.session_state.get("note-name", ""), key=f"{key}-by")
        if st.form_submit_button("Save", type="primary"):
            st.session_state["note-name"] = name  # where people log in, the board takes their login's
            with guard():
                board.write_note(
                    settings().workspace, on.board.id, pin.id, text, by=name.strip()[:80], replaces=[note.id] if note else []
                )
            st.rerun()
    if note is not None:
        st.caption("Save an empty note to take it away.")
