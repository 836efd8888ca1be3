"""The dictionaries that a workspace keeps: `<workspace>/lexicons/<content hash>/lexicon.parquet` and `entry.json`.

As with corpora (`backend.corpora.library`), the same pairs of the same languages are the same dictionary under any name.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError

from backend import parquet
from backend.corpora import kept
from backend.corpora.kept import ENTRY
from backend.corpora.lexicon import Lexicon, LexiconReport
from backend.corpora.parallel import Skipped
from backend.errors import CorpusError, StoreError
from backend.files import publish_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER, TABLE = "lexicons", "lexicon.parquet"
SCHEMA = pa.schema([("word", pa.string()), ("translation", pa.string())])
LISTED = 100
"""How many skipped lines an entry lists."""


class LexiconEntry(BaseModel):
    """What is known of a kept dictionary without reading its pairs."""

    model_config = ConfigDict(frozen=True)

    id: str
    """24 hex digits, from the pairs and the two languages."""
    name: str
    """Shown to people, unique in a workspace; never used as a path."""
    source: str
    target: str
    format: str
    words: int
    """Different words of the source language."""
    pairs: int
    blank: int = 0
    duplicates: int = 0
    skipped: int = 0
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""
    warnings: tuple[str, ...] = ()
    licence: str | None = None
    created_at: datetime


def keep(lexicon: Lexicon, name: str, workspace: Path, *, licence: str | None = None) -> LexiconEntry:
    """Keep a dictionary under a name. Content that is kept already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another dictionary, `StoreError` where the workspace
    cannot be written.
    """
    name = kept.checked_name(name, "dictionary")
    table = _table(lexicon)
    lexicon_id = _content_id(table, lexicon.source, lexicon.target)
    folder = workspace / FOLDER / lexicon_id
    known = {e.id: e for e in entries([workspace])}
    if lexicon_id in known and _read_table(folder / TABLE, known[lexicon_id]) is not None:
        return known[lexicon_id]
    kept.check_free(name, lexicon_id, known.values(), "dictionary")
    report = lexicon.report
    entry = LexiconEntry(
        id=lexicon_id,
        name=name,
        source=lexicon.source,
        target=lexicon.target,
        format=report.format,
        words=len(lexicon.entries),
        pairs=lexicon.pairs,
        blank=report.blank,
        duplicates=report.duplicates,
        skipped=report.skipped_count,
        skipped_rows=report.skipped[:LISTED],
        warnings=report.warnings,
        licence=licence,
        created_at=datetime.now(UTC),
    )
    parquet.write(folder / TABLE, table, {"source": lexicon.source, "target": lexicon.target})
    publish_json(folder / ENTRY, entry.model_dump(mode="json"))
    return entry


def entries(workspaces: Sequence[Path]) -> list[LexiconEntry]:
    """The kept dictionaries of several workspaces, by name; one that two workspaces have is taken from the first.

    An entry that cannot be read is left out here and named by `problems`.
    """
    found: dict[str, LexiconEntry] = {}
    for workspace in workspaces:
        for path in kept.entry_files(workspace / FOLDER):
            entry = _read_entry(path)
            if entry is not None:
                found.setdefault(entry.id, entry)
    return sorted(found.values(), key=lambda e: (e.name.casefold(), e.id))


def problems(workspaces: Sequence[Path]) -> list[str]:
    """A sentence on every kept dictionary that cannot be used."""
    notes = []
    for workspace in workspaces:
        for path in kept.entry_files(workspace / FOLDER):
            entry = _read_entry(path)
            if entry is None:
                notes.append(f"The entry of dictionary {path.parent.name} is damaged. Import the dictionary again.")
            elif _read_table(path.parent / TABLE, entry) is None:
                notes.append(f"The dictionary '{entry.name}' is damaged or missing. Remove it and import it again.")
    return notes


def load(lexicon_id: str, workspaces: Sequence[Path]) -> Lexicon:
    """A kept dictionary, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    for workspace in workspaces:
        folder = workspace / FOLDER / kept.checked_id(lexicon_id, "dictionary")
        entry = _read_entry(folder / ENTRY)
        if entry is None:
            continue
        table = _read_table(folder / TABLE, entry)
        if table is None:
            raise StoreError(f"The dictionary '{entry.name}' is damaged on disk. Remove it and import it again.")
        found: dict[str, list[str]] = {}
        for word, translation in zip(table["word"].to_pylist(), table["translation"].to_pylist(), strict=True):
            found.setdefault(word, []).append(translation)
        more = entry.skipped - len(entry.skipped_rows)
        report = LexiconReport(entry.format, entry.blank, entry.duplicates, entry.skipped_rows, more, entry.warnings)
        return Lexicon(entry.source, entry.target, {word: tuple(each) for word, each in found.items()}, report)
    raise CorpusError(f"There is no dictionary {lexicon_id}.", remedy="Choose one that is in the library, or import it again.")


def rename(lexicon_id: str, name: str, workspace: Path) -> LexiconEntry:
    """Give a kept dictionary another name. Raises `CorpusError` for a bad or taken name and an unknown dictionary."""
    folder = workspace / FOLDER / kept.checked_id(lexicon_id, "dictionary")
    entry = _read_entry(folder / ENTRY)
    if entry is None:
        raise CorpusError(
            f"There is no dictionary {lexicon_id} in this workspace.", remedy="Choose one that is in the library."
        )
    name = kept.checked_name(name, "dictionary")
    kept.check_free(name, lexicon_id, entries([workspace]), "dictionary")
    renamed = entry.model_copy(update={"name": name})
    publish_json(folder / ENTRY, renamed.model_dump(mode="json"))
    return renamed


def remove(lexicon_id: str, workspace: Path) -> None:
    """Delete a kept dictionary; what was computed with it stays. One that is not there is no error.

    Raises `StoreError` where the workspace cannot be written.
    """
    kept.delete(workspace / FOLDER / kept.checked_id(lexicon_id, "dictionary"), TABLE, "dictionary")


def _table(lexicon: Lexicon) -> pa.Table:
    pairs = [(word, each) for word, translations in lexicon.entries.items() for each in translations]
    return pa.table([[word for word, _ in pairs], [each for _, each in pairs]], schema=SCHEMA)


def _content_id(table: pa.Table, source: str, target: str) -> str:
    return kept.content_id(table, SCHEMA.names, json.dumps([source, target]).encode("ascii"))


def _read_entry(path: Path) -> LexiconEntry | None:
    try:
        entry = LexiconEntry.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return entry if entry.id == path.parent.name else None


def _read_table(path: Path, entry: LexiconEntry) -> pa.Table | None:
    """The pairs, or None where the file is missing, damaged, or not what the entry was made from."""
    try:
        table = parquet.read(path)
    except (OSError, StoreError, pa.ArrowException):
        return None
    if not table.schema.remove_metadata().equals(SCHEMA):
        return None
    return table if _content_id(table, entry.source, entry.target) == entry.id else None
