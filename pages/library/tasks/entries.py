"""List the kept labelled tasks: details, rows, download, renaming and removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.tasks import library as task_library
from pages.library.corpora import report as corpus_report
from pages.library.shared import kept_list
from pages.library.tasks import report as task_report
from pages.library.tasks import table as task_table
from pages.widgets.workspace import workspaces

if TYPE_CHECKING:
    from backend.corpora.tasks.library import TaskEntry
    from backend.corpora.tasks.task import LabelledTask


@st.cache_resource(max_entries=3, show_spinner=False)
def loaded(task_id: str, entry_name: str) -> LabelledTask:
    """Load a kept task by its content id: equal ids are equal rows."""
    return task_library.load(task_id, workspaces())


def draw() -> bool:
    """List every kept task. Returns whether any is the user's own."""
    return kept_list.draw(SHELF)


def facts(entry: TaskEntry) -> str:
    training = entry.rows - entry.validation_rows
    return task_report.facts(training, entry.validation_rows, len(entry.languages), len(entry.labels), is_pair=entry.is_pair)


def more(entry: TaskEntry) -> list[str]:
    return [entry.format, *([f"from {entry.source}"] if entry.source else [])]


def show(entry: TaskEntry, task: LabelledTask, key: str) -> None:
    corpus_report.skipped(task.report, key=key)
    task_report.contents(task, key=key, label=f"Rows of {entry.name}")


SHELF = kept_list.Shelf(
    store=task_library.SHELF,
    facts=facts,
    more=more,
    load=lambda entry: loaded(entry.id, entry.name),
    show=show,
    file=task_table.tsv,
    empty="Drop the files of a labelled task above: sentences, or pairs of them, with a class each, in several languages.",
    stays="The scores computed from it stay.",
)
