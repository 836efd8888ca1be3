"""The tables of covariates that a workspace keeps: `<workspace>/covariates/<content hash>/`, a table and `entry.json`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa

from backend import parquet
from backend.corpora.covariates.reader import Covariates
from backend.corpora.shared import kept

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEMA = pa.schema([("column", pa.string()), ("language", pa.string()), ("value", pa.string())])
"""Numbers as Python writes them, which reads back the same."""


class CovariatesEntry(kept.Entry):
    """What is known of a kept table without reading its numbers."""

    columns: tuple[str, ...]
    languages: tuple[str, ...]


def keep(found: Covariates, name: str, workspace: Path, licence: str | None = None) -> CovariatesEntry:
    """Keep a table under a name. What is saved already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken, `StoreError` where the workspace cannot be written.
    """
    rows = [(column, tag, repr(value)) for column, own in found.columns.items() for tag, value in sorted(own.items())]
    table = pa.table([pa.array(each, pa.string()) for each in zip(*rows, strict=True)], schema=SCHEMA)
    entry = CovariatesEntry(
        id=kept.content_id(table, SCHEMA.names),
        name=kept.checked_name(name, "table of covariates"),
        columns=tuple(found.columns),
        languages=tuple(found.languages),
        warnings=found.warnings,
        licence=licence,
        created_at=datetime.now(UTC),
    )
    return SHELF.keep(entry, workspace, lambda path: parquet.write(path, table, {}))


def load(entry_id: str, workspaces: Sequence[Path]) -> Covariates:
    """Return a kept table. Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged."""
    entry, table = SHELF.load(entry_id, workspaces)
    columns: dict[str, dict[str, float]] = {}
    for column, tag, value in zip(*(table[name].to_pylist() for name in SCHEMA.names), strict=True):
        columns.setdefault(column, {})[tag] = float(value)
    return Covariates(columns, entry.warnings)


def _read_table(path: Path, entry: CovariatesEntry) -> pa.Table | None:
    """Return the numbers, or None where the file is missing, damaged, or not what the entry was made from."""
    table = kept.read_table(path, SCHEMA)
    return table if table is not None and kept.content_id(table, SCHEMA.names) == entry.id else None


SHELF = kept.Shelf("table of covariates", "covariates", "covariates.parquet", CovariatesEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
