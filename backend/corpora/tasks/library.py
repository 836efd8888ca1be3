"""The labelled tasks that a workspace keeps: `<workspace>/tasks/<content hash>/task.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same rows are the same task under any name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from backend import parquet
from backend.corpora.parallel.corpus import Skipped
from backend.corpora.shared import kept
from backend.corpora.tasks import three_parts
from backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport
from backend.errors import CorpusError, StoreError
from backend.files import publish_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEST = "test.parquet"


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
    trained: tuple[str, ...] = ()
    """The one language of the training part where the others have none; empty where all have the same rows."""
    label_differs: int = 0
    """Rows whose label is not the same in every language."""
    test_rows: int = 0
    """Different rows of the test part, which is kept in a file of its own and is no part of the id."""
    test_id: str | None = None
    """24 hex digits from the test part's content; None for a task without one."""
    skipped: int = 0
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""
    source: str | None = None

    @property
    def tags(self) -> list[str]:
        """Its languages, as a corpus calls them."""
        return list(self.languages)

    @property
    def sources(self) -> list[str]:
        """The languages that can be trained on."""
        return list(self.trained or self.languages)

    @property
    def parts_id(self) -> str | None:
        """What three parts of it, as probes want them, are known by beside its id."""
        there = {"train": self.rows - self.validation_rows, "validation": self.validation_rows, "test": self.test_rows}
        return three_parts.known_by(self.test_id, [part for part, rows in there.items() if rows])


def content_id(table: pa.Table) -> str:
    """24 hex digits of the rows of a task (`SCHEMA`): the same for equal tables, however they are chunked or stored."""
    return kept.content_id(table, SCHEMA.names)


def keep(task: LabelledTask, name: str, workspace: Path, *, licence: str | None = None) -> TaskEntry:
    """Keep a task under a name. Content that is saved already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another task, `StoreError` where the workspace cannot
    be written.
    """
    name = kept.checked_name(name, "task")
    entry = _entry(task, name, licence)

    def write(path: Path) -> None:
        if task.test is not None:
            parquet.write(path.with_name(TEST), task.test, {})
        parquet.write(path, task.table, {})

    return _with_test(SHELF.keep(entry, workspace, write), entry, task, workspace)


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
    return LabelledTask(table, report, _test(entry, task_id, workspaces))


def _with_test(there: TaskEntry, entry: TaskEntry, task: LabelledTask, workspace: Path) -> TaskEntry:
    """Return what is kept, with the test part of `entry` added where it had none. Raises `CorpusError` where it has another."""
    if task.test is None or there.test_id == entry.test_id:
        return there
    if there.test_id is not None:
        raise CorpusError(
            f"The same rows are saved as '{there.name}' with another test part.", remedy="Remove that task first, or keep it."
        )
    folder = workspace / SHELF.folder / there.id
    parquet.write(folder / TEST, task.test, {})
    there = there.model_copy(update={"test_rows": entry.test_rows, "test_id": entry.test_id})
    publish_json(folder / kept.ENTRY, there.model_dump(mode="json"))
    return there


def _test(entry: TaskEntry, task_id: str, workspaces: Sequence[Path]) -> pa.Table | None:
    """Return the test part of a task that was loaded."""
    if entry.test_id is None:
        return None
    paths = (workspace / SHELF.folder / task_id / TEST for workspace in workspaces)
    for path in paths:
        table = kept.read_table(path, SCHEMA)
        if table is not None and content_id(table) == entry.test_id:
            return table
    raise StoreError(f"The test part of the task '{entry.name}' is damaged on disk. Remove the task and import it again.")


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
        trained=() if task.trained == task.languages else tuple(task.trained),
        label_differs=report.label_differs,
        test_rows=len(task.rows("test")),
        test_id=None if task.test is None else content_id(task.test),
        source=report.source,
        **kept.reading_fields(report, licence),
    )


def _characters(table: pa.Table) -> int:
    return sum(int(pc.sum(pc.utf8_length(table[name])).as_py() or 0) for name in ("text", "text_pair"))


def _read_table(path: Path, entry: TaskEntry) -> pa.Table | None:
    """Return the rows, or None where a file is missing, damaged, or not what the entry was made from."""
    table = kept.read_table(path, SCHEMA)
    if table is None or content_id(table) != entry.id:
        return None
    test = None if entry.test_id is None else kept.read_table(path.with_name(TEST), SCHEMA)
    return table if entry.test_id is None or (test is not None and content_id(test) == entry.test_id) else None


SHELF = kept.Shelf("task", "tasks", "task.parquet", TaskEntry, _read_table, beside=(TEST,))
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove
