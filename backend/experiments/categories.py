"""The user's own category of each confusion of words or sentences ("lexical field" …), kept in the workspace.

The key is three places in one corpus: the query, its translation and what was retrieved. So a category is there again for every
checkpoint, layer, similarity and dictionary that makes the same mistake (`docs/definitions.md`, "Word pairs"). A whole sentence
is the place from its start to its end. One small file a key, `<workspace>/categories/<corpus>/<hash of the key>.json`, replaced
by a rename: the later of two users wins, and only on the same row.
Source: Gaschi et al. 2022, table V.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ValidationError, field_validator

from isogloss.backend import people
from isogloss.backend.errors import StoreError
from isogloss.backend.files import digest, publish_json, published_files
from isogloss.backend.store import quarantine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER = "categories"
MAX_LENGTH = 60
"""Characters of a category."""


class Occurrence(NamedTuple):
    """A word where it stands."""

    language: str
    sentence_id: str
    start: int
    """In characters of the sentence."""
    end: int


class Key(NamedTuple):
    """What a category is of."""

    corpus: str
    """Content id."""
    query: Occurrence
    right: Occurrence
    retrieved: Occurrence


class _Kept(BaseModel, frozen=True, extra="forbid"):
    """One file."""

    key: Key
    category: str
    """Empty where it was taken back: that hides what a later workspace (the demo's) says."""
    changed_at: datetime

    @field_validator("category")
    @classmethod
    def _bounded(cls, category: str) -> str:
        tidy = " ".join(category.split())
        if len(tidy) > MAX_LENGTH or not tidy.isprintable():
            raise ValueError("too long or not printable")
        return tidy


def read(workspaces: Sequence[Path], corpus: str) -> dict[Key, str]:
    """Return the categories of a corpus; what two workspaces have is taken from the first. Damaged files are set aside."""
    by_key: dict[Key, str] = {}
    for workspace in workspaces:
        for file in published_files(_folder(workspace, corpus), "*.json"):
            kept = _read(workspace, file)
            if kept is not None and kept.key.corpus == corpus:
                by_key.setdefault(kept.key, kept.category)
    return {key: category for key, category in by_key.items() if category}


def set(workspace: Path, key: Key, category: str) -> None:
    """Keep the category of `key`; an empty one takes it back. White space is tidied.

    Raises `StoreError` for a category that is too long or not printable, and where the workspace cannot be written;
    `RefusedError` where whoever asks may not.
    """
    people.require("note")
    try:
        kept = _Kept(key=key, category=category, changed_at=datetime.now(UTC))
    except ValidationError as error:
        raise StoreError(
            f"A category is at most {MAX_LENGTH} printable characters. Choose a shorter or plainer one."
        ) from error
    publish_json(_folder(workspace, key.corpus) / f"{digest(key)}.json", kept.model_dump(mode="json"))


def _folder(workspace: Path, corpus: str) -> Path:
    return workspace / FOLDER / digest(corpus)


def _read(workspace: Path, file: Path) -> _Kept | None:
    try:
        return _Kept.model_validate_json(file.read_bytes())
    except OSError:  # taken away just now, or a file system that is not answering: no reason to move it
        return None
    except ValidationError as error:
        reason = StoreError(f"The category in {file.name} cannot be read: {str(error).splitlines()[0]}")
        quarantine.set_aside(workspace, file, reason)
        return None
