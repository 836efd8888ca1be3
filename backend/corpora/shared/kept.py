"""What all that people bring has when it is kept: an entry, an id made from its content, and a name."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel

from isogloss.backend import parquet
from isogloss.backend.corpora.parallel.corpus import Skipped
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.files import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

KindName = Literal["corpus", "dictionary", "alignment", "task", "tagged corpus", "emergent corpus", "table of covariates"]
ENTRY = "entry.json"
ID = re.compile("[0-9a-f]{24}")
MAX_NAME = 120
LISTED = 100
"""How many skipped rows (or lines, sentences, words) an entry lists."""


class Entry(BaseModel, frozen=True):
    """What is known of a kept thing without reading its table."""

    id: str
    """24 hex digits, from the content."""
    name: str
    """Shown to people, unique in a workspace; never used as a path."""
    warnings: tuple[str, ...] = ()
    """What its reader found odd."""
    licence: str | None = None
    created_at: datetime
    by: str = added("")
    """Who brought it; empty where nobody logs in."""
    formerly: tuple[str, ...] = added(())
    """Names that it had before: links that say them mean it still."""
    names_only: bool = False
    """Whether names and counts are all that is kept: the demo has scores of data whose texts are not its own to give away."""
    skipped: int = 0
    """Rows (lines, sentences, words) that its reader left out."""
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""

    @property
    def more_skipped(self) -> int:
        """Count the rows left out beyond those listed."""
        return self.skipped - len(self.skipped_rows)


def read_table(path: Path, schema: pa.Schema, *, batch: int | None = None) -> pa.Table | None:
    """Return the table at `path` without metadata, or None where the file is missing, damaged or has other columns.

    `batch` reads so many rows at a time, as `parquet.read` does.
    """
    try:
        table = parquet.read(path, batch=batch).replace_schema_metadata()
    except (OSError, StoreError, pa.ArrowException):
        return None
    return table if table.schema.equals(schema) else None


def content_id(table: pa.Table, columns: Sequence[str], more: bytes = b"") -> str:
    """24 hex digits of the rows of a table of strings: the same for equal rows, however they are chunked, encoded or stored.

    Hashes for each column the nulls, the lengths in bytes and the bytes of all values in order, and then `more`.
    """
    hashed = hashlib.blake2b(digest_size=12)
    for name in columns:
        nulls, lengths, values = (hashlib.blake2b(digest_size=16) for _ in range(3))
        for chunk in table[name].chunks:
            plain = pc.fill_null(chunk, "")
            nulls.update(chunk.is_null().to_numpy(zero_copy_only=False).tobytes())
            lengths.update(pc.binary_length(plain).to_numpy(zero_copy_only=False).astype("<i8").tobytes())
            # One joined copy of the chunk's bytes: its buffer may hold more than its slice.
            values.update(pc.binary_join(pa.ListArray.from_arrays([0, len(plain)], plain), "")[0].as_buffer())
        hashed.update(nulls.digest() + lengths.digest() + values.digest())
    hashed.update(more)
    return hashed.hexdigest()


def checked_id(value: str, kind: KindName) -> str:
    """Return the id itself, once it cannot be anything but a folder of ours. Raises `CorpusError` where it can."""
    if not ID.fullmatch(value):
        raise CorpusError(f"{value[:40]!r} is not the id of {_one(kind)}.", remedy="Ids are 24 hexadecimal digits.")
    return value


def checked_name(name: str, kind: KindName) -> str:
    """Return the name with single spaces. Raises `CorpusError` where it is empty, too long or not printable."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise CorpusError(
            f"{_one(kind).capitalize()} needs a name of 1 to {MAX_NAME} printable characters.", remedy="Choose another name."
        )
    return name


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number behind it where it is taken, whatever its case."""
    folded, number, tried = {each.casefold() for each in taken}, 1, name
    while tried.casefold() in folded:
        number += 1
        tried = f"{name[: MAX_NAME - 6].rstrip()} {number}"
    return tried


def _one(kind: KindName) -> str:
    return f"an {kind}" if kind[0] in "ae" else f"a {kind}"


def check_free(name: str, own_id: str, known: Sequence[Entry], kind: KindName) -> None:
    """Raise `CorpusError` where something else of the kind has the name, whatever its case."""
    if any(e.name.casefold() == name.casefold() and e.id != own_id for e in known):
        raise CorpusError(f"Another {kind} is called '{name}'.", remedy="Choose another name, or rename that one.")
