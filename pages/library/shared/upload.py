"""Dropped files on disk while they are read: under numbers in a folder of their own, never under their names."""

from __future__ import annotations

import shutil
import uuid
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol, TypeVar

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import IsoglossError, StoreError
from isogloss.backend.files import RUNNING
from isogloss.backend.locks import try_lock
from isogloss.backend.settings import settings
from isogloss.backend.store import cache
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

T = TypeVar("T")
CHUNK = 1 << 20


class Dropped(Protocol):
    """What Streamlit's uploader returns: a binary file with the name that its sender gave it."""

    name: str

    def read(self, size: int = -1, /) -> bytes:
        """Read at most `size` bytes from the position on; all where it is negative, none at the end."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to a position in bytes, from the start by default, and return it."""


def read_dropped(dropped: Sequence[Dropped], named: str, read: Callable[[list[InputFile]], T]) -> T | None:
    """Spool the dropped files (`named` on the page) and `read` them; where that cannot be done, say why and return None."""
    try:
        with st.spinner(f"Reading {named} …"), spool(dropped, settings().workspace) as files:
            return read(files)
    except IsoglossError as error:
        st.error(verbatim(str(error)), icon=":material/error:")
        return None


@contextmanager
def spool(dropped: Sequence[Dropped], workspace: Path) -> Iterator[list[InputFile]]:
    """Write the dropped files to this server, into a fresh folder that is gone afterwards, whatever happens.

    Raises `StoreError` where the workspace cannot be written or its disk is full, `RefusedError` where one may not.
    """
    people.require("import")
    cache.remove_idle_uploads(workspace, cache.STALE_SECONDS)
    folder = workspace / cache.UPLOADS / uuid.uuid4().hex
    try:
        with _held(folder):
            yield list(_write(dropped, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock a new folder, so that nobody tidies it up while it is read; a killed server's is not locked any more."""
    try:
        folder.mkdir(parents=True)
        handle = open(folder / RUNNING, "a", encoding="utf-8")  # noqa: SIM115 — held open: that is the lock
    except OSError as error:
        raise _unwritten(folder, error) from error
    with handle:
        try_lock(handle)
        yield


def _write(dropped: Sequence[Dropped], folder: Path) -> Iterator[InputFile]:
    try:
        for number, file in enumerate(dropped):
            file.seek(0)
            with open(folder / str(number), "xb") as out:
                _copy(file, out)
            yield InputFile(file.name, folder / str(number))
    except OSError as error:
        raise _unwritten(folder, error) from error


def _unwritten(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"The dropped files could not be written to {folder.parent} ({error.strerror}). "
        "Check that the workspace is writable and that its disk has space, then drop them again."
    )


def _copy(source: Dropped, out: IO[bytes]) -> None:
    while chunk := source.read(CHUNK):
        out.write(chunk)
