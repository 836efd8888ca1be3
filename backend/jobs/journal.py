"""How SQLite keeps the queue's file: with a log beside it, where that is safe."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

LOCAL = {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "tmpfs", "overlay"}
"""File systems of one machine, by the names that Linux gives them."""
MOUNTS = Path("/proc/self/mounts")


class Unhurried(sqlite3.Connection):
    """A connection that leaves it to the log when the disk has what was written."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.execute("PRAGMA synchronous = NORMAL")


def speed_up(path: Path) -> dict[str, Any]:
    """Have the queue's database written to a log first; returns how a worker is to connect to it, for SQLAlchemy.

    Readers and writers then need not wait for one another, and a worker's write not for the disk: a kill loses nothing,
    and where the power fails, the last shards that ended are found by their files. A request to compute is written by another
    process, which waits. The log needs memory that processes share, which a network file system has not: there, and where
    nobody says what the folder lies on, everything stays as it is. The file remembers that it has a log.
    """
    if not is_local(path.parent):
        return {}
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:  # what is wrong with it, the queue says itself
        if database.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",):
            return {"connect_args": {"factory": Unhurried}}
    return {}


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
