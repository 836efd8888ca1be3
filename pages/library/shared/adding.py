"""Add to a shelf of the Library: files are dropped, read and shown, and then named and kept or dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from isogloss.backend.corpora.shared.formats import table_of
from isogloss.backend.corpora.shared.kept import Entry
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.library.shared import elsewhere, held, left_out
from isogloss.pages.library.shared.upload import Dropped, read_dropped
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.backend.corpora.shared.kind import Kind
    from isogloss.pages.library.shared.shelf import Shelf

E = TypeVar("E", bound=Entry)
C = TypeVar("C")


def draw(shelf: Shelf[Any, Any, Any]) -> None:
    """Draw what asks for new content, or what was read and waits to be kept."""
    if waiting := held.waiting(shelf.kind.name):
        shelf.review(*waiting)
    else:
        shelf.ask()


def upload(kind: Kind[Any, Any], label: str, *, several: bool = True, others_wait: bool = False) -> list[Dropped]:
    """Draw the uploader with its formats; return the files dropped here, or taken here from another shelf.

    None where some are of another kind: then it is said where they belong. A press of “Read” is released where there is nothing
    to read, unless `others_wait` for it.
    """
    key = f"drop-{kind.group}-{held.drop(kind.name)}"
    dropped: list[Dropped]
    if several:
        dropped = [*st.file_uploader(label, accept_multiple_files=True, key=key)]
    else:
        dropped = [file for file in [st.file_uploader(label, key=key)] if file is not None]
    formats(kind)
    taken = elsewhere.taken_here(kind.name)
    if not [*taken, *dropped] or not elsewhere.belong_here(kind.name, dropped):
        if not others_wait:
            held.not_asked(kind.name)
        return []
    return [*taken, *dropped]


def formats(kind: Kind[Any, Any]) -> None:
    """List the formats that can be read, behind a button."""
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(f"{table_of(kind.formats, kind.looks)}\n\n{kind.formats_note}")


def read(
    shelf: Shelf[E, C, Any], dropped: Sequence[Dropped], reader: Callable[[list[InputFile]], C], *, names: int | None = None
) -> None:
    """Read the dropped files and show what they are; say why where they cannot be read.

    The first `names` of them (all by default) say what to call it.
    """
    named = verbatim(dropped[0].name) if len(dropped) == 1 else count(len(dropped), "file")
    content = read_dropped(dropped, named, reader)
    if content is not None:
        hold(shelf, content, held.suggestion(*(file.name for file in dropped[:names])))


def hold(shelf: Shelf[E, C, Any], content: C, suggested: str) -> None:
    """Hold what was read with its entry, under a free name: the one suggested, else one that the shelf finds."""
    name = held.free(suggested or shelf.suggest(content), shelf.kind)
    held.hold(shelf.kind.name, (content, shelf.kind.described(content, name)), name)


def review(shelf: Shelf[E, C, Any], read_now: tuple[C, E], suggested: str) -> None:
    """Show what was read, to be named and kept or dropped."""
    (content, entry), kind = read_now, shelf.kind
    key = f"found-{kind.name.split()[0]}"
    recognised(shelf, content, entry, key=key)
    held.name_and_keep(
        kind.name,
        suggested,
        lambda name: kind.keep(content, name, settings().workspace),
        same=shelf.same_things,
        losses=kind.report(content).losses,
    )
    shelf.show(shelf.viewed(content), key, f"{shelf.contains} of the {kind.name}")


def recognised(shelf: Shelf[E, C, Any], content: C, entry: E, *, key: str, file: str = "") -> None:
    """Show in a line what was read (with its file's name where there are several), its warnings, and what was left out."""
    where = f" in {verbatim(file)}" if file else ""
    st.markdown(f"**Recognised{where}: {verbatim(' · '.join(shelf.recognised(entry)))}**")
    if passed_over := shelf.passed_over(entry):
        st.caption(f"{', '.join(passed_over)} skipped.")
    left_out.warn(shelf.kind.report(content).warnings)
    shelf.draw_left_out(content, key)
