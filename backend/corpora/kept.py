"""What kept corpora and kept lexicons share: `<workspace>/<kind>/<content hash>/` with a table and an `entry.json`.

The entry is written last and removed first: content without one does not exist.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Literal, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Kind = Literal["corpus", "dictionary"]
ENTRY = "entry.json"
ID = re.compile("[0-9a-f]{24}")
MAX_NAME = 120


class Named(Protocol):
    """An entry: its id and what people call it."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


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


def entry_files(folder: Path) -> list[Path]:
    """The entries below the folder of one kind, in the order of their ids."""
    return [p for p in sorted(folder.glob(f"*/{ENTRY}")) if ID.fullmatch(p.parent.name)]


def checked_id(value: str, kind: Kind) -> str:
    """The id itself, once it cannot be anything but a folder of ours. Raises `CorpusError` where it can."""
    if not ID.fullmatch(value):
        raise CorpusError(f"{value[:40]!r} is not the id of a {kind}.", remedy="Ids are 24 hexadecimal digits.")
    return value


def checked_name(name: str, kind: Kind) -> str:
    """The name with single spaces. Raises `CorpusError` where it is empty, too long or not printable."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise CorpusError(f"A {kind} needs a name of 1 to {MAX_NAME} printable characters.", remedy="Choose another name.")
    return name


def check_free(name: str, own_id: str, known: Iterable[Named], kind: Kind) -> None:
    """Raise `CorpusError` where something else of the kind has the name, whatever its case."""
    if any(e.name.casefold() == name.casefold() and e.id != own_id for e in known):
        raise CorpusError(f"Another {kind} is called '{name}'.", remedy="Choose another name, or rename that one.")


def delete(folder: Path, table: str, kind: Kind) -> None:
    """Delete what is kept in `folder`, the entry first. What is not there is no error.

    Raises `StoreError` where the workspace cannot be written.
    """
    try:
        for name in (ENTRY, table):
            (folder / name).unlink(missing_ok=True)
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise StoreError(
            f"The {kind} could not be removed ({error.strerror}). Check that the workspace is writable; the demo's is not."
        ) from error
