"""Whole files or none: atomic writes and content hashes, used by every part that keeps something on disk."""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StringConstraints

from isogloss.backend import listing, people
from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

RUNNING = "running.lock"
"""The file of a training's folder that whoever trains there holds (`backend.training.resumable.lock`)."""
NAME = re.compile("[A-Za-z0-9_-]{1,100}")
CONTENT_ID = re.compile("[0-9a-f]{24}")
"""What `digest` returns; `fullmatch` a text with it."""
ContentId = Annotated[str, StringConstraints(pattern=f"^{CONTENT_ID.pattern}$")]
"""A field that holds the id of what a library keeps: a hash of content, by which a folder or a file is named."""
TEMPORARY = ".tmp-"
"""Prefix of files being written: `published_files` leaves them out."""


@contextmanager
def publish(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; on a clean exit fsync it and rename it to `path`.

    Readers see the whole file or none, whatever is killed and whenever. Raises `StoreError` where the disk is full or
    the folder cannot be written, and for whoever only looks.
    """
    if people.only_looks():
        raise StoreError(f"{path.name} is not written: this dashboard is read-only.")
    temporary = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
        listing.look_again()
    except OSError as error:
        raise not_written(path, error, "workspace", "try again.") from error
    finally:
        with suppress(OSError):  # nothing was written where nothing can be removed
            temporary.unlink()


def sync(path: Path) -> None:
    """Have a file's content on the disk before anything else happens to it."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def not_written(path: Path, error: OSError, where: str, then: str) -> StoreError:
    """Return the error to raise for a path that could not be written."""
    return StoreError(
        f"Could not write {path.name} in {path.parent}: {error.strerror or error}. "
        f"Check that the {where} is writable and that its disk has space, then {then}"
    )


def named(name: str) -> str:
    """Return a name that becomes a file's or a folder's in a workspace: letters, digits, `_` and `-` lead nowhere else.

    Raises `StoreError` for any other: all such names are the product's own, hashes of content and families.
    """
    if not NAME.fullmatch(name):
        raise StoreError(
            f"'{name[:80]}' names nothing that a workspace keeps. Choose what the page offers, or open the link again."
        )
    return name


def published_files(folder: Path, pattern: str) -> list[Path]:
    """Return the files of `folder` that match a glob, sorted, without those still being written.

    pathlib's `*` matches names that begin with a dot, unlike a shell's: a reader that used it would find half a file, and
    one that tidies up would take it from under its writer.
    """
    return sorted(path for path in folder.glob(pattern) if not path.name.startswith(TEMPORARY))


def publish_json(path: Path, value: Any) -> None:
    """Write `value` as JSON, whole or not at all."""
    publish_text(path, json.dumps(value, ensure_ascii=False, indent=1))


def publish_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with publish(path) as temporary:
        # Half a character, which JSON can escape and UTF-8 cannot hold, is a question mark.
        temporary.write_text(text, encoding="utf-8", errors="replace")


class NestedError(ValueError):
    """Brackets are nested too deeply for Python."""


def parse_json(text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return what JSON says, its objects made by `pairs` where it is given.

    Raises `NestedError` where it is nested too deeply, `json.JSONDecodeError` where it is none, and another `ValueError` for an
    integer of thousands of digits.
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        raise NestedError("brackets are nested too deeply") from None


def digest(value: Any) -> str:
    """Return a 24-digit hexadecimal hash of anything JSON can hold; equal values have equal hashes on every machine."""
    return _hashed(_json(value))


def digests(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the `digest` of each; an object that one of them shares with the one before is written once."""
    before: dict[str, tuple[Any, str]] = {}
    found = []
    for value in values:
        for name, each in value.items():
            if name not in before or before[name][0] is not each:
                before[name] = each, f"{_json(name)}:{_json(each)}"
        found.append(_hashed("{" + ",".join(before[name][1] for name in sorted(value)) + "}"))
    return found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=12).hexdigest()


def added(default: Any, **checks: Any) -> Any:
    """Make a pydantic field, with `checks`, that older objects lack: left out of JSON where it has its default.

    So what was stored before there was such a field keeps its id, key and digest.
    """
    return Field(default=default, exclude_if=lambda value: value == default, **checks)


def formerly(name: str, before: Sequence[str], new: str) -> tuple[str, ...]:
    """Return the names that a thing of this name, and others `before`, had once it is called `new`."""
    return tuple(each for each in dict.fromkeys([*before, name]) if each != new)


def file_digest(path: Path) -> str:
    """Return a 24-digit hexadecimal hash of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=12)).hexdigest()
