"""The labelled tasks that a workspace keeps: `<workspace>/tasks/<content hash>/task.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same rows are the same task under any name.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet
from backend.corpora.parallel.corpus import Skipped
from backend.corpora.shared import kept
from backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport
from backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LISTED = 100
"""How many skipped rows an entry lists."""


class TaskEntry(kept.Entry):
    """What is known of a kept task without reading its rows. Its id is made from all columns of the table."""

    format: str
    languages: tuple[str, ...]
    source_names: dict[str, str]
    labels: tuple[str, ...]
    is_pair: bool
    rows: int
    """Different rows of both parts, counting one for all its translations."""
    validation_rows: int
    """How many of them are for validation; none where the task is to be split."""
    characters: dict[str, int]
    """Of all texts of a language together; for estimates of what a computation will cost."""
    label_differs: int = 0
    """Rows whose label is not the same in every language."""
    skipped: int = 0
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""
    source: str | None = None

    @property
    def tags(self) -> list[str]:
        """Its languages, as a corpus calls them."""
        return list(self.languages)


def content_id(table: pa.Table) -> str:
    """24 hex digits of the rows of a task (`SCHEMA`): the same for equal tables, however they are chunked or stored."""
    return kept.content_id(table, SCHEMA.names)


def keep(task: LabelledTask, name: str, workspace: Path, *, licence: str | None = None) -> TaskEntry:
    """Keep a task under a name. Content that is kept already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another task, `StoreError` where the workspace cannot
    be written.
    """
    name = kept.checked_name(name, "task")
    entry = _entry(task, name, licence)
    return SHELF.keep(entry, workspace, lambda path: parquet.write(path, task.table, {}))


def load(task_id: str, workspaces: Sequence[Path]) -> LabelledTask:
    """Return a kept task, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    entry, table = SHELF.load(task_id, workspaces)
    more = entry.skipped - len(entry.skipped_rows)
    report = TaskReport(
        entry.format,
        entry.source_names,
        entry.skipped_rows,
        more,
        entry.warnings,
        entry.label_differs,
        entry.source,
    )
    return LabelledTask(table.replace_schema_metadata(), report)


def _entry(task: LabelledTask, name: str, licence: str | None) -> TaskEntry:
    report = task.report
    return TaskEntry(
        id=content_id(task.table),
        name=name,
        format=report.format,
        languages=tuple(task.languages),
        source_names=report.source_names,
        labels=tuple(task.labels),
        is_pair=task.is_pair,
        rows=len(task.rows()),
        validation_rows=len(task.rows("validation")),
        characters={tag: _characters(task.part(tag)) for tag in task.languages},
        label_differs=report.label_differs,
        skipped=report.skipped_count,
        skipped_rows=report.skipped[:LISTED],
        warnings=report.warnings,
        source=report.source,
        licence=licence,
        created_at=datetime.now(UTC),
    )


def _characters(table: pa.Table) -> int:
    return sum(int(pc.sum(pc.utf8_length(table[name])).as_py() or 0) for name in ("text", "text_pair"))


def _read_table(path: Path, entry: TaskEntry) -> pa.Table | None:
    """Return the rows, or None where the file is missing, damaged, or not what the entry was made from."""
    try:
        table = parquet.read(path)
    except (OSError, StoreError, pa.ArrowException):
        return None
    return table if table.schema.remove_metadata().equals(SCHEMA) and content_id(table) == entry.id else None


SHELF = kept.Shelf("task", "tasks", "task.parquet", TaskEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
