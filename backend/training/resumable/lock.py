"""One process a folder: two that trained in one would take each other's files for what a kill left half written."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.files import RUNNING
from isogloss.backend.locks import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BusyError(SpecError):
    """Another process holds the folder."""


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Make `folder` if needed and hold it for this process. A process that was killed holds nothing any more.

    Raises `BusyError` where another process holds it, `StoreError` where it cannot be written.
    """
    path = folder / RUNNING
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = open(path, "a", encoding="utf-8")  # noqa: SIM115 — held open: that is the lock
    except OSError as error:
        raise StoreError(
            f"The folder {folder} cannot be written: {error.strerror}. Check its permissions and free space, or choose another."
        ) from error
    with handle:
        # A file that its last holder has removed since it was opened locks nothing.
        if not try_lock(handle) or not path.exists() or os.fstat(handle.fileno()).st_ino != path.stat().st_ino:
            raise BusyError(f"Another process is training in {folder.name}. Wait for it or stop it, or choose another folder.")
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Remove the folder of a training whose result is published. Where another process holds it, that one will."""
    with suppress(BusyError, StoreError):
        if folder.exists():
            with lock(folder):
                shutil.rmtree(folder, ignore_errors=True)
