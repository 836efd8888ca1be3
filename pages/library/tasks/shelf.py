"""The shelf of labelled tasks: files for training and, where there are any, for validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.shared import apart
from isogloss.backend.corpora.tasks import library
from isogloss.backend.corpora.tasks import readers as task_readers
from isogloss.pages.library.shared import adding, held, measure
from isogloss.pages.library.shared.shelf import Shelf
from isogloss.pages.library.tasks import report as task_report
from isogloss.pages.library.tasks import table as task_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile
    from isogloss.backend.corpora.tasks.task import LabelledTask
    from isogloss.pages.library.shared.upload import Dropped


def ask() -> None:
    """Draw the uploaders of a task, and the labels that may occur."""
    number = held.drop("task")
    own, other = st.columns(2)
    with own:
        training = adding.upload(library.KIND, "All files of one task")
    validation = other.file_uploader(
        "Files for validation (optional)", accept_multiple_files=True, key=f"drop-task-validation-{number}"
    )
    if not training:
        if validation:
            st.caption("Upload the files for training too.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = st.multiselect(
            "Labels that may occur",
            [],
            accept_new_options=True,
            placeholder="Any; or type those that may",
            key=f"task-labels-{number}",
        )
        asked = held.read_button("task")
    if asked:
        with held.answering("task"):
            read(training, validation, labels)


def read(training: Sequence[Dropped], validation: Sequence[Dropped], labels: Sequence[str]) -> None:
    """Read the dropped files and show what they are; say why where they cannot be read."""

    def labelled(files: list[InputFile]) -> LabelledTask:
        return apart.read(task_readers.read, files[: len(training)], files[len(training) :], labels=labels)

    adding.read(SHELF, [*training, *validation], labelled, names=len(training))


SHELF = Shelf(
    library.KIND,
    title="Tasks",
    heading="Add a task",
    ask=ask,
    empty="Upload the files of a labelled task above: sentences, or pairs of them, with a class each, in several languages.",
    facts=task_report.facts,
    source=lambda entry: entry.source,
    contains="Rows",
    show=task_report.contents,
    file=task_table.tsv,
    links=lambda _entry, name: measure.links("task", name),
)
