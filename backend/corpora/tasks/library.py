"""The labelled tasks that a workspace keeps: `<workspace>/tasks/<content hash>/task.parquet` and `entry.json`.

As with corpora (`backend.corpora.parallel.library`), the same rows are the same task under any name.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend import parquet
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.corpora.tasks import three_parts
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.files import publish_json

if TYPE_CHECKING:
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


def _write(task: LabelledTask, path: Path) -> None:
    if task.test is not None:
        parquet.write(path.with_name(TEST), task.test, {})
    parquet.write(path, task.table, {})


def _restore(entry: TaskEntry, table: pa.Table, folder: Path) -> LabelledTask:
    left_out = entry.skipped_rows, entry.more_skipped, entry.warnings
    report = TaskReport(entry.format, entry.source_names, *left_out, entry.label_differs, entry.source)
    return LabelledTask(table, report, None if entry.test_id is None else _test(entry, folder))


def _test(entry: TaskEntry, folder: Path) -> pa.Table:
    table = kept.read_table(folder / TEST, SCHEMA)
    if table is None or content_id(table) != entry.test_id:
        raise StoreError(f"The test part of the task '{entry.name}' is damaged on disk. Remove the task and import it again.")
    return table


def _with_test(entry: TaskEntry, task: LabelledTask, folder: Path) -> TaskEntry:
    """Add the test part of `task` to what is kept where that has none. Raises `CorpusError` where it has another."""
    test_id = None if task.test is None else content_id(task.test)
    if test_id in (None, entry.test_id):
        return entry
    if entry.test_id is not None:
        raise CorpusError(
            f"The same rows are saved as '{entry.name}' with another test part.", remedy="Remove that task first, or keep it."
        )
    parquet.write(folder / TEST, task.test, {})
    entry = entry.model_copy(update={"test_rows": len(task.rows("test")), "test_id": test_id})
    publish_json(folder / kept.ENTRY, entry.model_dump(mode="json"))
    return entry


def _describe(task: LabelledTask, **common: Any) -> TaskEntry:
    report = task.report
    return TaskEntry(
        id=content_id(task.table),
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
        **common,
    )


def _characters(table: pa.Table) -> int:
    return sum(int(pc.sum(pc.utf8_length(table[name])).as_py() or 0) for name in ("text", "text_pair"))


def _read_table(path: Path, entry: TaskEntry) -> pa.Table | None:
    table = kept.read_table(path, SCHEMA)
    if table is None or content_id(table) != entry.id:
        return None
    test = None if entry.test_id is None else kept.read_table(path.with_name(TEST), SCHEMA)
    return table if entry.test_id is None or (test is not None and content_id(test) == entry.test_id) else None


def _summary(entry: TaskEntry) -> str:
    kind = "pairs of sentences" if entry.is_pair else "sentences"
    test = f", {entry.test_rows} more for testing" if entry.test_rows else ""
    validation = f", {entry.validation_rows} of them for validation" if entry.validation_rows else ""
    languages = f"{len(entry.languages)} language{'s' * (len(entry.languages) != 1)}"
    return f"{entry.format}: {entry.rows:,} {kind}{validation}{test}, {len(entry.labels)} labels, {languages}"


KIND = Kind(
    name="task",
    folder="tasks",
    table="task.parquet",
    beside=(TEST,),
    entry=TaskEntry,
    describe=_describe,
    write=_write,
    read=_read_table,
    restore=_restore,
    complete=_with_test,
    group="task",
    several="tasks",
    what="labelled tasks, sentences or pairs with classes",
    about="Import labelled tasks (sentences or pairs with classes) and list them.",
    looks="Rows",
    formats=(
        Layout(
            "XTREME (XNLI, PAWS-X)",
            "`dev-en.tsv`, `dev-de.tsv` …, no header: text, second text, label; row *i* is the same in all",
        ),
        Layout(
            "CSV, TSV, JSON Lines, Parquet", "`text_en`, `text_de` … and `label`; for pairs `premise_en`, `hypothesis_en` …"
        ),
        Layout("the same, long", "`id`, `language`, `text`, `text_pair`, `label`"),
    ),
    formats_note=(
        "Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8. A column `split`, or names such as `train-en.tsv` and "
        "`dev-en.tsv`, say what is for validation; without them a share of the rows can be set aside later."
    ),
    columns={
        "rows": attrgetter("rows"),
        "validation": attrgetter("validation_rows"),
        "labels": lambda entry: " ".join(entry.labels)[:60],
        "languages": lambda entry: " ".join(entry.languages),
    },
    summary=_summary,
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove
