"""What the files of a folder say of themselves, in one file beside them: to list forty large ones, that alone is opened.

`<folder>/index.json`, written by whoever has verified files that it lacks; an entry that is lost where two write at once is
found again. An entry is believed where the size, the times and the inode of its file are those of the file that was verified;
any other, and any index that is not whole, counts for nothing.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from isogloss.backend import people
from isogloss.backend.errors import StoreError
from isogloss.backend.files import parse_json, publish
from isogloss.backend.settings import DEMO

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME, FORMAT = "index.json", 1
"""Raised where what is checked of a file beside its footer changes: files are then verified anew."""
WORTH_BYTES, WORTH_FILES = 4 << 20, 50
"""What a folder's new files come to before an index is written of them: fewer are opened as fast."""

Stamp = tuple[int, int, int, int]
"""Size, when it was written and when anything about it was changed (nanoseconds), and its inode."""

Noted = dict[str, tuple[Stamp, "Mapping[str, Any]"]]
"""By the files' names."""

_noted: dict[tuple[Path, str], Noted] = {}
_lock = threading.Lock()


def stamp(path: Path) -> Stamp:
    """Return what tells a file from any other that was ever at its place. Raises `FileNotFoundError`."""
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


def known(path: Path, now: Stamp, form: str) -> Mapping[str, Any] | None:
    """Return what a file of this stamp and these columns (`form`) says of itself; None where the index does not know."""
    place = path.with_name(NAME)
    try:
        entries = _entries(place, stamp(place), form)
    except OSError:
        return None
    match entries.get(path.name):
        case [[*seen], dict(said)] if tuple(seen) == now:
            return said
    return None


def note(path: Path, seen: Stamp, said: Mapping[str, Any], form: str) -> None:
    """Remember what a file that was just verified says of itself, for the next `write_noted`."""
    if not (people.only_looks() or path.parent.resolve().is_relative_to(DEMO)):
        with _lock:
            _noted.setdefault((path.parent, form), {})[path.name] = seen, said


def write_noted() -> None:
    """Add what was noted to the indices of its folders, where it is enough to be worth it."""
    with _lock:
        due = [key for key, noted in _noted.items() if _is_worth(noted)]
        found = {key: _noted.pop(key) for key in due}
    for (folder, form), noted in found.items():
        _write(folder, noted, form)


def _is_worth(noted: Noted) -> bool:
    return len(noted) >= WORTH_FILES or sum(size for (size, *_), _ in noted.values()) >= WORTH_BYTES


def _write(folder: Path, noted: Noted, form: str) -> None:
    """Write the index with these entries, and without those of files that are gone. Nothing where it cannot be written."""
    place = folder / NAME
    with suppress(OSError, StoreError):
        before = _entries(place, stamp(place), form) if place.exists() else {}
        there = {path.name for path in folder.iterdir()}
        entries = {name: entry for name, entry in before.items() if name in there}
        entries |= {name: [list(seen), dict(said)] for name, (seen, said) in noted.items() if name in there}
        with publish(place) as temporary:
            text = json.dumps({"format": FORMAT, "form": form, "files": entries}, separators=(",", ":"))
            temporary.write_text(text, encoding="utf-8")


@lru_cache(maxsize=64)
def _entries(place: Path, _seen: Stamp, form: str) -> Mapping[str, Any]:
    """Return the entries by their files' names; none of an index that is damaged, or of another version."""
    try:
        found = parse_json(place.read_bytes())
    except ValueError:
        return {}
    match found:
        case {"format": format_, "form": form_, "files": dict(files)} if (format_, form_) == (FORMAT, form):
            return files
    return {}
