"""List the kept labelled tasks: details, rows, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.tasks import library as task_library
from pages.library.corpora import report as corpus_report
from pages.library.shared.kept_list import Shelf, in_memory, origin
from pages.library.tasks import report as task_report
from pages.library.tasks import table as task_table

if TYPE_CHECKING:
    from backend.corpora.tasks.library import TaskEntry
    from backend.corpora.tasks.task import LabelledTask

EMPTY = "Upload the files of a labelled task above: sentences, or pairs of them, with a class each, in several languages."


def facts(entry: TaskEntry) -> str:
    """Write what stands beside the name: languages, rows of each part and labels."""
    training = entry.rows - entry.validation_rows
    sizes = training, entry.validation_rows, len(entry.languages), len(entry.labels)
    return task_report.facts(*sizes, is_pair=entry.is_pair, test=entry.test_rows)


def more(entry: TaskEntry) -> list[str]:
    """Give the format, and where the task is from."""
    return [entry.format, *origin(entry.source)]


def show(entry: TaskEntry, task: LabelledTask, key: str) -> None:
    """Draw the rows left out, and the rows side by side."""
    corpus_report.list_skipped(task.report, key=key)
    task_report.contents(task, key=key, label=f"Rows of {entry.name}")


SHELF = Shelf(task_library.SHELF, facts, more, in_memory(task_library.load), show, file=task_table.tsv, empty=EMPTY)
