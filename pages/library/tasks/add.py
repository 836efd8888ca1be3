"""Add a labelled task: files for training and, where there are any, for validation, shown before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from backend.corpora.shared import apart
from backend.corpora.tasks import library as task_library
from backend.corpora.tasks import readers as task_readers
from backend.experiments.words import count
from backend.settings import settings
from pages.library.shared import found
from pages.library.shared.upload import Dropped, read_dropped
from pages.library.tasks import report as task_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.shared.inputs import InputFile
    from backend.corpora.tasks.task import LabelledTask

FORMATS = """
| Format | Rows |
|---|---|
| XTREME (XNLI, PAWS-X) | `dev-en.tsv`, `dev-de.tsv` …, no header: text, second text, label; row *i* is the same in all |
| CSV, TSV, JSON Lines, Parquet | `text_en`, `text_de` … and `label`; for pairs `premise_en`, `hypothesis_en` … |
| the same, long | `id`, `language`, `text`, `text_pair`, `label` |

Also inside `.zip`, `.tar.gz` and `.gz`. Text is UTF-8. A column `split`, or names such as `train-en.tsv` and `dev-en.tsv`,
say what is for validation; without them a share of the rows can be set aside later.
"""


def draw() -> None:
    """Draw the uploaders of a task, or the task that was read."""
    if waiting := found.waiting("task"):
        review(*waiting)
        return
    number = found.drop("task")
    own, other = st.columns(2)
    training = own.file_uploader("All files of one task", accept_multiple_files=True, key=f"drop-task-{number}")
    validation = other.file_uploader(
        "Files for validation (optional)", accept_multiple_files=True, key=f"drop-task-validation-{number}"
    )
    with st.popover("Which files can be read?", type="tertiary", icon=":material/help:"):
        st.markdown(FORMATS)
    if not training:
        found.not_asked("task")
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
        asked = found.read_button("task")
    if asked:
        with found.answering("task"):
            read(training, validation, labels)


def read(training: Sequence[Dropped], validation: Sequence[Dropped], labels: Sequence[str]) -> None:
    """Read the dropped files and show what they are; say why where they cannot be read."""
    dropped = [*training, *validation]

    def labelled(spool: list[InputFile]) -> LabelledTask:
        return apart.read(task_readers.read, spool[: len(training)], spool[len(training) :], labels=labels)

    task = read_dropped(dropped, count(len(dropped), "file"), labelled)
    if task is not None:
        suggested = found.suggestion(*(file.name for file in training)) or task.report.format
        found.hold("task", task, found.free(suggested, task_library.SHELF))


def review(task: LabelledTask, suggested: str) -> None:
    """Show the task that was read, to be named and kept or dropped."""
    task_report.show_recognised(task, key="found-task")
    losses = task.report.losses
    found.name_and_keep(
        "task", suggested, lambda name: task_library.keep(task, name, settings().workspace), same="rows", losses=losses
    )
    task_report.contents(task, key="found-task", label="Rows of the task")
