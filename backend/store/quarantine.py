"""Damaged files are set aside with the reason, never deleted and never read again."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING, Any

from isogloss.backend import parquet, people
from isogloss.backend.errors import StoreError
from isogloss.backend.files import parse_json, publish_json, published_files
from isogloss.backend.parquet import NotOursError
from isogloss.backend.settings import DEMO

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


def set_aside(workspace: Path, path: Path, reason: StoreError) -> Path | None:
    """Move a damaged file to `<workspace>/quarantine` and note why; None where it stays.

    It stays where another program or version wrote it, where whoever looks may change nothing, and in the demo.
    """
    if isinstance(reason, NotOursError) or people.only_looks() or workspace.resolve() == DEMO:
        return None
    now = dt.datetime.now(dt.UTC)
    target = workspace / "quarantine" / f"{now:%Y%m%dT%H%M%S%f}-{path.name}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
        note = {"file": str(path.relative_to(workspace)), "reason": str(reason), "at": now.isoformat()}
        publish_json(target.with_name(target.name + ".json"), note)
    except (OSError, StoreError):
        return None
    return target


def notes(workspace: Path) -> list[dict[str, str]]:
    """Return the notes of what was set aside, newest first: `file`, `reason`, `at`. One that cannot be read says so."""
    notes = reversed(published_files(workspace / "quarantine", "*.*.json"))  # the note on a.json is a.json.json
    return [_note(path) for path in notes]


def _note(path: Path) -> dict[str, str]:
    try:
        note = parse_json(path.read_bytes())
        dt.datetime.fromisoformat(note["at"])
        return {name: str(note[name]) for name in ("file", "reason", "at")}
    except (OSError, ValueError, KeyError, TypeError):
        at = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC).isoformat()
        return {"file": path.name.removesuffix(".json"), "reason": "The note on why cannot be read.", "at": at}


def read(workspace: Path, path: Path, columns: list[str] | None = None) -> tuple[pa.Table, dict[str, Any]] | None:
    """A whole table and what its file says of itself; None where there is none. A damaged one is set aside and is none.

    Of these `columns` alone where some are named.
    """
    try:
        return parquet.read(path, columns), parquet.metadata(path)
    except FileNotFoundError:
        return None
    except StoreError as error:
        set_aside(workspace, path, error)
        return None
