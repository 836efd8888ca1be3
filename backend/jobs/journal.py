"""How SQLite keeps the queue's file: with a log beside it, where that is safe."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

LOCAL = {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "tmpfs", "overlay"}
"""File systems of one machine, by the names that Linux gives them."""
MOUNTS = Path("/proc/self/mounts")


def speed_up(path: Path) -> None:
    """Have the queue's database written to a log first, of which readers and writers need not wait for one another.

    A write then waits for the disk once and not four times. The log needs memory that processes share, which a network file
    system has not: there, and where nobody says what the folder lies on, everything stays as it is. The file remembers it.
    """
    if not is_local(path.parent):
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:  # what is wrong with it, the queue says itself
        database.execute("PRAGMA journal_mode = WAL")


def is_local(folder: Path) -> bool:
    """Return whether a folder lies on a disk of this machine, as far as Linux says."""
    try:
        mounts = [line.split(" ") for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return False
    around = {str(each) for each in (folder.resolve(), *folder.resolve().parents)}
    # The deepest that holds the folder, and of several at one place the last: it hides the others.
    found = [(len(place), kind) for _, place, kind, *_ in mounts if place.replace("\\040", " ") in around]
    return bool(found) and max(enumerate(found), key=lambda each: (each[1][0], each[0]))[1][1] in LOCAL
