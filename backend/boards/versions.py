"""Versions of a board: how it was at a meeting, with the rows and pictures of then, to open again beside those of now.

A version is `<board>/versions/<id>.json`, which is written last, and a folder of that id with the rows and pictures. Pins,
notes, titles and scores of later change nothing in it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from shutil import rmtree
from typing import TYPE_CHECKING

from pydantic import BaseModel

from isogloss.backend import people
from isogloss.backend.boards import as_pinned, board
from isogloss.backend.boards.again import Again, again, change
from isogloss.backend.boards.provenance import Provenance
from isogloss.backend.boards.records import Board, Note, Opened, Pin
from isogloss.backend.errors import StoreError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER = "versions"
LOST = "The scores of then are not in this workspace any more."


class Version(BaseModel, frozen=True):
    """A board as it was, but for its rows and pictures."""

    id: str
    title: str
    """As people call that day: `Meeting of 3 March`."""
    by: str
    at: datetime
    board: Board
    pins: tuple[Pin, ...]
    """From the top."""
    notes: tuple[Note, ...]
    rests_on: dict[str, Provenance]
    """By pin; of texts, and of a figure whose rows were lost already, none."""

    def opened(self) -> Opened:
        """Return the board of then."""
        notes = {pin.id: tuple(note for note in self.notes if note.pin == pin.id) for pin in self.pins}
        return Opened(self.board, self.pins, (), notes, ())


def keep(workspaces: Sequence[Path], id_: str, title: str) -> Version:
    """Keep a board of the first workspace as it is now, each figure drawn from the scores of now.

    Raises `StoreError` where the title is empty or too long or the workspace cannot be written, `RefusedError` where whoever
    asks may not pin.
    """
    people.require("pin")
    title = board.text_of(title, "title of a version", board.LONGEST_TITLE)
    on, made = board.open_board(workspaces[:1], id_), board.new_id()
    folder, rests_on = _folder(workspaces[0], id_) / made, {}
    for pin in on.pins:
        if not pin.is_text:
            with suppress(StoreError):  # what cannot be shown now cannot be kept; the version says so where it stands
                now = again(workspaces, id_, pin)
                as_pinned.keep(folder, pin.id, now.rows, now.picture)
                rests_on[pin.id] = now.rests_on
    version = Version(
        id=made,
        title=title,
        by=people.now().name,
        at=datetime.now(UTC),
        board=on.board,
        pins=on.pins,
        notes=tuple(note for pin in on.pins for note in on.notes[pin.id]),
        rests_on=rests_on,
    )
    board.publish_record(folder.with_suffix(".json"), version)  # last: a version without its figures does not exist
    return version


def versions(workspaces: Sequence[Path], id_: str) -> list[Version]:
    """Return the versions of a board, the newest first. One that cannot be read is left out."""
    paths = [path for workspace in workspaces for path in sorted(_folder(workspace, id_).glob("*.json"))]
    found = [each for path in paths if (each := board.read_record(path, Version)) is not None]
    return sorted(found, key=lambda version: version.at, reverse=True)


def called(workspaces: Sequence[Path], id_: str, name: str) -> Version:
    """Return the newest version of a board that has this title, or whose id begins so. Raises `StoreError` where none has."""
    kept = versions(workspaces, id_)
    for each in kept:
        if each.title == name or (name and each.id.startswith(name)):
            return each
    hint = did_you_mean(name, [each.title for each in kept]) if kept else "Keep one first."
    raise StoreError(f"This board has no version '{name[:80]}'. {hint}")


def remove(workspace: Path, version: Version) -> None:
    """Remove a version with its rows and pictures. Raises `RefusedError` where whoever asks may not, or not another's."""
    people.require("change", of=version.by)
    path = _folder(workspace, version.board.id) / f"{board.checked(version.id)}.json"
    path.unlink(missing_ok=True)
    rmtree(path.with_suffix(""), ignore_errors=True)


def then(workspaces: Sequence[Path], version: Version, pin: Pin, now: Again | None) -> Again:
    """Return a figure as it was. `said` is what is other `now`, empty where nothing is or without a `now` to hold it against.

    Raises `StoreError` where its rows are lost.
    """
    folders = [_folder(workspace, version.board.id) / board.checked(version.id) for workspace in workspaces]
    rows = as_pinned.rows_of(folders, board.checked(pin.id))
    picture = as_pinned.picture_of(folders, pin.id)
    rests_on = version.rests_on.get(pin.id, Provenance())
    kept = Again(rows, picture, "", rests_on, now.recipe if now else None, as_pinned=True)
    if now is None:
        return kept
    return replace(kept, said=LOST if now.as_pinned and now.said else change(rows, now.rows, "this version was kept"))


def _folder(workspace: Path, id_: str) -> Path:
    return board.folder_of(workspace, id_) / FOLDER
