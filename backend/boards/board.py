"""Boards: figures that a group has pinned and texts between them, in an order, with notes.

Two people use a board at once without losing anything: a pin and a note are files of their own. A new text of a note names the
texts that it takes the place of; two such texts written at once both stay. The last writer wins where order, layout and titles
are changed; a pin that the order lacks stands at the end.

A board is `<workspace>/boards/<id>/`: `board.json`, `order.json`, `pins/`, `rows/` and `pictures/` (as they were pinned),
`notes/`, `removed/`, `versions/`.
"""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from isogloss.backend import people
from isogloss.backend.boards import as_pinned
from isogloss.backend.boards.records import Board, Explained, Note, Opened, Order, Pin, Removed
from isogloss.backend.errors import StoreError
from isogloss.backend.files import publish_json, published_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.boards.recipe import Recipe

FOLDER = "boards"
ID = re.compile("[0-9a-f]{12}")
LONGEST_TITLE, LONGEST_NOTE = 120, 20_000
"""Characters."""
M = TypeVar("M", bound=BaseModel)


def boards(workspaces: Sequence[Path]) -> list[Board]:
    """Return all boards, the newest first. One whose file cannot be read is left out."""
    found = [read_record(path, Board) for folder in workspaces for path in sorted((folder / FOLDER).glob("*/board.json"))]
    return sorted((each for each in found if each is not None), key=lambda board: board.created_at, reverse=True)


def create(workspace: Path, title: str) -> Board:
    """Make an empty board. Raises `StoreError` where the title is empty or too long, `RefusedError` where one may not."""
    people.require("pin")
    board = Board(id=new_id(), title=text_of(title, "title of a board", LONGEST_TITLE), created_at=_now())
    publish_record(folder_of(workspace, board.id) / "board.json", board)
    return board


def rename(workspace: Path, board: Board, title: str) -> Board:
    """Give a board another title. Raises `StoreError` where it is empty or too long, `RefusedError` where one may not."""
    people.require("rename")
    renamed = board.model_copy(update={"title": text_of(title, "title of a board", LONGEST_TITLE)})
    publish_record(folder_of(workspace, board.id) / "board.json", renamed)
    return renamed


def lay_out(workspace: Path, board: Board, columns: int) -> None:
    """Show a board in so many columns. Raises `RefusedError` where whoever asks may not."""
    people.require("pin")
    publish_record(folder_of(workspace, board.id) / "board.json", board.model_copy(update={"columns": columns}))


def open_board(workspaces: Sequence[Path], id_: str) -> Opened:
    """Return a board and what is on it. Raises `StoreError` where there is none of this id."""
    for workspace in workspaces:
        folder = folder_of(workspace, id_)
        if (board := read_record(folder / "board.json", Board)) is not None:
            return _opened(folder, board)
    raise StoreError(f"There is no board '{id_[:40]}' here. Choose one of the list, or ask for the workspace that it is in.")


def _opened(folder: Path, board: Board) -> Opened:
    damaged: list[str] = []
    pins = {each.id: each for each in _all(folder / "pins", Pin, damaged)}
    notes = _all(folder / "notes", Note, damaged)
    gone = {each.id for each in _all(folder / "removed", Removed, damaged)}
    order = read_record(folder / "order.json", Order) or Order(pins=())
    newest = sorted(pins.values(), key=lambda pin: pin.at)
    places = {id_: place for place, id_ in enumerate(order.pins)}
    ordered = sorted(newest, key=lambda pin: places.get(pin.id, len(places)))
    replaced = {id_ for note in notes for id_ in note.replaces}
    standing = sorted((note for note in notes if note.id not in replaced and note.text), key=lambda note: note.at)
    notes_by_pin = {id_: tuple(note for note in standing if note.pin == id_) for id_ in pins}
    ordered = [pin for pin in ordered if not pin.is_text or notes_by_pin[pin.id]]  # a text that was emptied is gone
    return Opened(
        board,
        tuple(pin for pin in ordered if pin.id not in gone),
        tuple(pin for pin in ordered if pin.id in gone),
        notes_by_pin,
        tuple(damaged),
    )


def pin(
    workspace: Path,
    board: str,
    recipe: Recipe,
    rows: pd.DataFrame,
    picture: go.Figure | None,
    *,
    name: str,
    card: Explained,
    link: str,
    alt: str,
) -> Pin:
    """Put a figure (or, without a picture, a table) on a board, with its rows and its picture as they are now.

    It is by whoever has logged in. Raises `StoreError` where the workspace cannot be written, `RefusedError` where whoever asks
    may not.
    """
    people.require("pin")
    folder = folder_of(workspace, board)
    kept = Pin(id=new_id(), name=name, recipe=recipe.to_json(), card=card, link=link, alt=alt, by=people.now().name, at=_now())
    as_pinned.keep(folder, kept.id, rows, picture)
    publish_record(folder / "pins" / f"{kept.id}.json", kept)  # last: a pin without its rows does not exist
    return kept


def write_text(workspace: Path, board: str, text: str, *, by: str = "") -> Pin:
    """Put a text at the end of a board: a note under no figure. Raises what `write_note` does, and where it is empty."""
    people.require("pin")
    blank = Explained(name="", text="", source="", bibtex="")
    name = text_of(text[:LONGEST_TITLE], "text", LONGEST_TITLE)
    kept = Pin(id=new_id(), name=name, recipe={}, card=blank, link="/", alt="", by=people.now().name or by, at=_now())
    write_note(workspace, board, kept.id, text, by=by)
    publish_record(folder_of(workspace, board) / "pins" / f"{kept.id}.json", kept)
    return kept


def retitle(workspace: Path, board: str, pin_: Pin, title: str) -> None:
    """Give a pin a title; with an empty one it is made of what it shows. Raises `StoreError`, and `RefusedError` as `pin`."""
    people.require("pin")
    title = title.strip() and text_of(title, "title", LONGEST_TITLE)
    publish_record(folder_of(workspace, board) / "pins" / f"{checked(pin_.id)}.json", pin_.model_copy(update={"title": title}))


def write_note(workspace: Path, board: str, pin_: str, text: str, *, by: str = "", replaces: Iterable[str] = ()) -> Note:
    """Write a note under a pin, in the place of others where `replaces` names some; an empty text removes them.

    It is by whoever has logged in, or `by`. Raises `StoreError` where it is too long, `RefusedError` where whoever asks may
    write none, or not in the place of another's.
    """
    people.require("note")
    folder, replaced = folder_of(workspace, board), tuple(replaces)
    for each in replaced:
        there = read_record(folder / "notes" / f"{checked(each)}.json", Note)
        people.require("change", of=there.by if there else "")
    if len(text) > LONGEST_NOTE:
        raise StoreError(f"A note has at most {LONGEST_NOTE:,} characters, and this one has {len(text):,}. Shorten it.")
    note = Note(id=new_id(), pin=checked(pin_), text=text.strip(), by=people.now().name or by, at=_now(), replaces=replaced)
    publish_record(folder / "notes" / f"{note.id}.json", note)
    return note


def arrange(workspace: Path, board: str, pins: Iterable[str]) -> None:
    """Keep the order of the pins, from the top. Raises `RefusedError` where whoever asks may not."""
    people.require("pin")
    publish_record(folder_of(workspace, board) / "order.json", Order(pins=tuple(map(checked, pins))))


def remove(workspace: Path, board: str, pin_: str) -> None:
    """Take a pin off the board. Raises `RefusedError` where whoever asks may not, or not another's."""
    folder = folder_of(workspace, board)
    there = read_record(folder / "pins" / f"{checked(pin_)}.json", Pin)
    people.require("change", of=there.by if there else "")
    publish_record(folder / "removed" / f"{pin_}.json", Removed(id=pin_, by=people.now().name, at=_now()))


def put_back(workspace: Path, board: str, pin_: str) -> None:
    """Put a pin that was removed back in its place. Raises `RefusedError` where whoever asks may not."""
    people.require("pin")
    (folder_of(workspace, board) / "removed" / f"{checked(pin_)}.json").unlink(missing_ok=True)


def folder_of(workspace: Path, board: str) -> Path:
    """Return where a board is. Raises `StoreError` where its id is none."""
    return workspace / FOLDER / checked(board)


def checked(id_: str) -> str:
    """Return an id that is one: it becomes a file's name. Raises `StoreError`."""
    if not ID.fullmatch(id_):
        raise StoreError(
            f"'{id_[:40]}' is not the id of a board or figure: those are 12 hexadecimal digits. Open the board's link."
        )
    return id_


def text_of(text: str, what: str, longest: int) -> str:
    """Return a text on one line. Raises `StoreError`, naming `what` it is, where it is empty or has more characters."""
    shown = " ".join(text.split())
    if not shown:
        raise StoreError(f"The {what} is empty. Write a few words.")
    if len(shown) > longest:
        raise StoreError(f"The {what} has at most {longest} characters, and this one has {len(shown)}. Shorten it.")
    return shown


def _all(folder: Path, kind: type[M], damaged: list[str]) -> list[M]:
    parts = []
    for path in published_files(folder, "*.json"):
        if (each := read_record(path, kind)) is None:
            damaged.append(f"{folder.name}/{path.name}")
        else:
            parts.append(each)
    return parts


def read_record(path: Path, kind: type[M]) -> M | None:
    """Return what a file holds; None where there is none, or none that can be read."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def publish_record(path: Path, value: BaseModel) -> None:
    """Write a record at once. Raises `StoreError` where it cannot be written."""
    publish_json(path, value.model_dump(mode="json"))


def new_id() -> str:
    """Return an id that nothing has yet."""
    return uuid.uuid4().hex[:12]


def _now() -> datetime:
    return datetime.now(UTC)
