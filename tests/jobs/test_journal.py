"""SQLite's log is used on disks of this machine alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.jobs import journal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        (["/ ext4"], True),
        (["/ nfs4"], False),
        (["/ ext4", "{inside} nfs"], False),
        (["/ nfs", "{inside} xfs"], True),
        (["/ nfs", "{inside}-beside xfs"], False),
        (["/ ext4", "{inside} tmpfs", "{inside} fuse.sshfs"], False),  # the last at one place hides the others
        (["/ ext4", "{inside} fuse.sshfs", "{inside} tmpfs"], True),
        ([], False),
        (None, False),
    ],
)
def test_what_a_folder_lies_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: list[str] | None, expected: bool
) -> None:
    folder = tmp_path / "a workspace" / "jobs"
    folder.mkdir(parents=True)
    monkeypatch.setattr(journal, "MOUNTS", tmp_path / "mounts")
    inside = str(folder.parent).replace(" ", "\\040")
    if mounts is not None:
        lines = [f"device {line.format(inside=inside)} rw 0 0" for line in mounts]
        (tmp_path / "mounts").write_text("\n".join(lines), encoding="utf-8")
    assert journal.is_local(folder) is expected
    options = journal.speed_up(folder / "queue.sqlite").get("connect_args", {})
    with closing(sqlite3.connect(folder / "queue.sqlite", **options)) as database:
        assert database.execute("PRAGMA synchronous").fetchone() == (1 if expected else 2,)  # NORMAL, FULL
    with closing(sqlite3.connect(folder / "queue.sqlite")) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal" if expected else "delete",)


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "is_local", lambda _: True)
    (tmp_path / "queue.sqlite").write_bytes(b"not a database" * 100)
    assert journal.speed_up(tmp_path / "queue.sqlite") == {}
    assert (tmp_path / "queue.sqlite").read_bytes() == b"not a database" * 100
