"""The frames behind the transfer figures, cached by what they depend on: the files, their times, and the selection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.experiments.transfer import frames as transfer_frames
from backend.experiments.transfer import queries as transfer_queries
from backend.figures.transfer import naming
from backend.files import digest
from backend.training.finetune.options import Windows
from pages.transfer.shared.selection import BY, Selection
from pages.widgets.figures import notebook
from pages.widgets.server.keyed import BY_KEY, Keyed
from pages.widgets.workspace import workspaces

EPSILONS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2)
"""Widths of a window of training error; the paper's tables have 0.001 and 0.025."""
NAMES = ["run", *BY, "position", "learning_rate", "seed"]


def errors(selection: Selection, *, corrupted: bool = False) -> pd.DataFrame:
    """Return one row per run, record point and target: `transfer_queries.COLUMNS` and `NAMES`. Not to be changed: it is shared.

    `corrupted`: runs of every corruption, whatever is chosen.
    """
    return keyed_errors(selection, corrupted=corrupted).value


def keyed_errors(selection: Selection, *, corrupted: bool = False) -> Keyed[pd.DataFrame]:
    """`errors`, as the caches of what is made from them take them."""
    chosen = selection.runs_of_any_corruption if corrupted else selection.runs
    files = selection.files(chosen)  # a walk through all files of the workspace
    published = [[str(path), modified] for path, modified in files]
    key = digest([published, chosen[NAMES].values.tolist(), selection.targets])
    return Keyed(key, _errors(Keyed(key, ([path for path, _ in files], chosen)), selection.targets))


@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs=BY_KEY)
def _errors(runs: Keyed[tuple[list[Path], pd.DataFrame]], targets: tuple[str, ...]) -> pd.DataFrame:
    # A resource, not data: a sweep has some 300,000 rows, which would be copied at every change of a slider.
    files, chosen = runs.value
    return transfer_queries.errors(files, targets).merge(chosen[NAMES], on="run")


def python(selection: Selection, *steps: partial[Any], corrupted: bool = False) -> Recipe:
    """Return the errors of the runs looked at again, and what `steps` make of them, in Python."""
    chosen = selection.runs_of_any_corruption if corrupted else selection.runs
    runs, targets = rows_of(chosen), list(selection.targets)
    errors = partial(transfer_frames.errors_of, workspaces=workspaces(), runs=runs, columns=NAMES, targets=targets)
    return notebook.python(errors, *steps)


def rows_of(runs: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return the runs as `NAMES` has them."""
    return [tuple(row) for row in runs[NAMES].values.tolist()]


def window() -> tuple[float, float]:
    """Return the window of training error that the user looks at: E′ and ε, in the URL."""
    compared = "Models whose training error lies in [E′, E′ + ε) are compared."
    at = st.number_input("Training error E′", 0.0, 1.0, 0.0, 0.01, "%.3f", "at", compared, bind="query-params", width=170)
    return float(at), choose_epsilon("epsilon", 0.001)


def choose_epsilon(key: str, first: float) -> float:
    """Draw the slider of ε, the width of a window of training error: `first` by default."""
    again = "Recomputed from the records; nothing is trained again."
    return float(st.select_slider("Window ε", EPSILONS, first, "{:g}".format, key, again, bind="query-params", width=220))


def names_of(selection: Selection, frame: pd.DataFrame, by: Sequence[str] = BY) -> pd.Series:
    """Return what tells the models of `frame` (columns `by`) apart, in few words: the model, and what differs besides."""
    return naming.names(frame, differing(selection, frame, by))


def differing(selection: Selection, frame: pd.DataFrame, by: Sequence[str] = BY) -> list[str]:
    """Return the columns of `by` that tell models apart besides their names."""
    found = [name for name in by[1:] if selection.runs[name].nunique() > 1 or frame[name].nunique() > 1]
    if "label" in found and selection.runs.groupby("model")["label"].nunique().max() == 1:
        found.remove("label")  # the last of each model
    return found


def windows(selection: Selection) -> list[Windows | Literal["all"]]:
    """Return the different windows in which the runs looked at evaluated their targets."""
    wanted = set(selection.runs["run"])
    found = {
        str(file.provenance["options"]["windows"]): file.provenance["options"]["windows"]
        for file in selection.have
        if file.run in wanted
    }
    return [each if each == "all" else tuple(tuple(pair) for pair in each) for _, each in sorted(found.items())]


def advise_unmeasured(selection: Selection) -> str:
    """What to do where models lie in a window of which not all were evaluated in the target: not what helps an empty one."""
    if not selection.data.translated:
        return "The training examples have no translations, so there is no IGap. Choose test accuracy or the transfer gap."
    own = [set(each) for each in windows(selection) if each != "all"]
    known = sorted(set.intersection(*own)) if own else []
    said = " or ".join(f"E′ {at:g} with ε {epsilon:g}" for at, epsilon in known[:3])
    return (
        "Not all models in this window were evaluated in the targets, so the least is not known. Choose "
        + (f"a window that every run evaluated, such as {said}" if said else "a narrower ε")
        + ", or train with “Targets evaluated: At every record point”."
    )


def say_empty() -> None:
    """Why there is nothing to draw."""
    st.info(
        "No run of this selection is trained yet. “Train models” above says what it will cost, and the figures "
        "fill as runs arrive.",
        icon=":material/info:",
    )
