"""What kept corpora (of any kind), dictionaries, alignments and tasks share: a table and an entry in a folder of their own.

The folder, named by content, is `<workspace>/<shelf>/<content hash>/`. Its entry is written last and removed first:
content without one does not exist.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ValidationError

from backend import parquet
from backend.errors import CorpusError, StoreError
from backend.files import publish_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from backend.corpora.parallel.corpus import LeftOut

Kind = Literal["corpus", "dictionary", "alignment", "task", "tagged corpus", "emergent corpus", "table of covariates"]
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
    names_only: bool = False
    """Whether names and counts are all that is kept: the demo has scores of data whose texts are not its own to give away."""


E = TypeVar("E", bound=Entry)


@dataclass(frozen=True)
class Shelf(Generic[E]):
    """Where the things of one kind are kept, and how they are read."""

    kind: Kind
    folder: str
    table: str
    entry: type[E]
    read: Callable[[Path, E], pa.Table | None]
    """The table at a path, or None where it is missing, damaged or not what the entry was made from."""
    beside: tuple[str, ...] = ()
    """Other files that may lie beside the table, and go with it."""

    def keep(self, entry: E, workspace: Path, write: Callable[[Path], object]) -> E:
        """Keep what `write` writes to the path it is given. Content saved already stays as it is: its entry is returned.

        Raises `CorpusError` for a name that another of the kind has, `StoreError` where the workspace cannot be written.
        """
        folder = workspace / self.folder / entry.id
        known = {each.id: each for each in self.entries([workspace])}
        if entry.id in known and self.read(folder / self.table, known[entry.id]) is not None:
            return known[entry.id]
        _check_free(entry.name, entry.id, list(known.values()), self.kind)
        write(folder / self.table)
        publish_json(folder / ENTRY, entry.model_dump(mode="json"))
        return entry

    def entries(self, workspaces: Sequence[Path]) -> list[E]:
        """Return the kept things of several workspaces, by name; one that two workspaces have is taken from the first.

        An entry that cannot be read is left out here and named by `problems`.
        """
        found: dict[str, E] = {}
        for workspace in workspaces:
            for path in _entry_files(workspace / self.folder):
                entry = _read_entry(self, path)
                if entry is not None:
                    found.setdefault(entry.id, entry)
        return sorted(found.values(), key=lambda e: (e.name.casefold(), e.id))

    def problems(self, workspaces: Sequence[Path]) -> list[str]:
        """A sentence on every kept thing that cannot be used: damaged entries, tables whose content is not what it was."""
        notes, kind = [], self.kind
        for workspace in workspaces:
            for path in _entry_files(workspace / self.folder):
                entry = _read_entry(self, path)
                if entry is None:
                    notes.append(f"The entry of {kind} {path.parent.name} is damaged. Import the {kind} again.")
                elif not entry.names_only and self.read(path.parent / self.table, entry) is None:
                    notes.append(f"The {kind} '{entry.name}' is damaged or missing on disk. Remove it and import it again.")
        return notes

    def load(self, entry_id: str, workspaces: Sequence[Path]) -> tuple[E, pa.Table]:
        """Return the entry and the table, from the first workspace that has them. The content is checked against its id.

        Raises `CorpusError` where no workspace has it or only its names, `StoreError` where its files are damaged.
        """
        named = None
        for workspace in workspaces:
            folder = workspace / self.folder / checked_id(entry_id, self.kind)
            entry = _read_entry(self, folder / ENTRY)
            if entry is None or entry.names_only:
                named = entry or named
                continue
            table = self.read(folder / self.table, entry)
            if table is None:
                raise StoreError(f"The {self.kind} '{entry.name}' is damaged on disk. Remove it and import it again.")
            return entry, table
        if named is not None:
            raise CorpusError(
                f"The texts of '{named.name}' are not part of the demo, only its names and scores.",
                remedy="Import the same data into the Library to read them or to compute more.",
            )
        raise CorpusError(
            f"There is no {self.kind} {entry_id}.", remedy="Choose one that is in the library, or import it again."
        )

    def rename(self, entry_id: str, name: str, workspace: Path) -> E:
        """Give a kept thing another name. Raises `CorpusError` for a bad or taken name and an unknown id."""
        folder = workspace / self.folder / checked_id(entry_id, self.kind)
        entry = _read_entry(self, folder / ENTRY)
        if entry is None:
            raise CorpusError(
                f"There is no {self.kind} {entry_id} in this workspace.", remedy="Choose one that is in the library."
            )
        name = checked_name(name, self.kind)
        known = self.entries([workspace])
        _check_free(name, entry_id, known, self.kind)
        renamed = entry.model_copy(update={"name": name})
        publish_json(folder / ENTRY, renamed.model_dump(mode="json"))
        return renamed

    def remove(self, entry_id: str, workspace: Path) -> None:
        """Delete a kept thing, its entry first; what was computed from it stays. What is not there is no error.

        Raises `StoreError` where the workspace cannot be written.
        """
        folder = workspace / self.folder / checked_id(entry_id, self.kind)
        try:
            for name in (ENTRY, self.table, *self.beside):
                (folder / name).unlink(missing_ok=True)
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        except OSError as error:
            raise StoreError(
                f"The {self.kind} could not be removed ({error.strerror}). "
                "Check that the workspace is writable; the demo's is not."
            ) from error


def reading_fields(report: LeftOut, licence: str | None) -> dict[str, Any]:
    """Return what every entry says of a reading: what was left out, what was odd, under which licence, and that it is now."""
    return {
        "skipped": report.skipped_count,
        "skipped_rows": report.skipped[:LISTED],
        "warnings": report.warnings,
        "licence": licence,
        "created_at": datetime.now(UTC),
    }


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


def checked_id(value: str, kind: Kind) -> str:
    """Return the id itself, once it cannot be anything but a folder of ours. Raises `CorpusError` where it can."""
    if not ID.fullmatch(value):
        raise CorpusError(f"{value[:40]!r} is not the id of {_one(kind)}.", remedy="Ids are 24 hexadecimal digits.")
    return value


def checked_name(name: str, kind: Kind) -> str:
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


def _one(kind: Kind) -> str:
    return f"an {kind}" if kind[0] in "ae" else f"a {kind}"


def _check_free(name: str, own_id: str, known: Sequence[Entry], kind: Kind) -> None:
    """Raise `CorpusError` where something else of the kind has the name, whatever its case."""
    if any(e.name.casefold() == name.casefold() and e.id != own_id for e in known):
        raise CorpusError(f"Another {kind} is called '{name}'.", remedy="Choose another name, or rename that one.")


def _entry_files(folder: Path) -> list[Path]:
    """Return the entries below the folder of one kind, in the order of their ids."""
    return [p for p in sorted(folder.glob(f"*/{ENTRY}")) if ID.fullmatch(p.parent.name)]


def _read_entry(shelf: Shelf[E], path: Path) -> E | None:
    try:
        entry = shelf.entry.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return entry if entry.id == path.parent.name else None
