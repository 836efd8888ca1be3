"""The shelf of covariates: tables of numbers of languages, and outcomes of models that other tools measured."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.corpora.covariates import library, reader
from isogloss.backend.corpora.covariates import outcomes as outcome_files
from isogloss.backend.corpora.shared import apart
from isogloss.backend.corpora.shared.inputs import listed
from isogloss.backend.experiments.relations import outcomes
from isogloss.backend.experiments.words import count
from isogloss.backend.models.library import library as models
from isogloss.pages.library.covariates import report as covariates_report
from isogloss.pages.library.shared import adding, held, measure
from isogloss.pages.library.shared.shelf import Shelf
from isogloss.pages.library.shared.upload import read_dropped
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

AS_WRITTEN = "As the files say"


def ask() -> None:
    """Draw the uploader. A dropped table is read at once; of results, what their files do not say is asked first."""
    dropped = adding.upload(library.KIND, "A table of numbers of languages, or results of other tools")
    if not dropped:
        return
    if not any(reader.RESULTS.search(file.name) for file in dropped):
        adding.read(SHELF, dropped, lambda files: apart.read(reader.read_files, files))
        return
    kept = [model.name for model in models.entries(workspaces())]
    choice = st.selectbox("Model", [AS_WRITTEN, *kept], key=_key("model"))
    model = "" if choice == AS_WRITTEN else choice
    found = read_dropped(dropped, count(len(dropped), "file"), lambda files: apart.read(reader.read_files, files, model=model))
    if found is None:
        return
    if strangers := outcomes.strangers(found.outcomes.values(), models.entries(workspaces())):
        st.caption(verbatim(f"Not in the Library under this id and revision: {listed(strangers, 5)}."))
    if found.asked:
        st.text_area(
            "Languages that no task's name tells",
            "\n".join(f"{task} = " for task in found.asked),
            key=_key("tasks"),
            help="A task a line, as in `hellaswag = en`. One without a language is left out.",
        )
    if held.read_button(library.KIND.name):
        with held.answering(library.KIND.name):
            adding.read(SHELF, dropped, lambda files: apart.read(reader.read_files, files, tasks=_told(), model=model))


def _key(what: str) -> str:
    return f"outcomes-{what}-{held.drop(library.KIND.name)}"


def _told() -> dict[str, str]:
    """Return the languages that were written beside tasks; `-` for a task without one."""
    text: str = st.session_state.get(_key("tasks"), "")
    pairs = [line.rpartition("=") for line in text.split("\n") if "=" in line]
    return {task.strip(): name.strip() or outcome_files.LEAVE for task, _, name in pairs}


SHELF = Shelf(
    library.KIND,
    title="Covariates",
    heading="Add covariates of languages, or results of other tools",
    ask=ask,
    empty="Upload a CSV above: a row a language, columns of numbers. On Relations each column is a measure of languages. "
    "Results of other tools become outcomes of a model.",
    facts=lambda entry: covariates_report.facts(len(entry.languages), entry.columns),
    suggest=lambda _table: "Covariates",
    contains="Numbers",
    show=covariates_report.numbers,
    file=covariates_report.csv,
    form="CSV",
    links=lambda entry, _name: measure.covariate_links(entry),
)
