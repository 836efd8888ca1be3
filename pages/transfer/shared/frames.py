"""The recipes of the transfer figures, and the controls and sentences that several views share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.figures.transfer import naming
from isogloss.backend.figures.transfer.asked import in_percent
from isogloss.backend.training.finetune.options import Windows
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.workspace import workspaces

EPSILONS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2)
"""Widths of a window of training error; the paper's tables have 0.001 and 0.025."""
NAMES = ["run", *BY, "position", "learning_rate", "seed"]


def errors(selection: Selection, *, corrupted: bool = False) -> pd.DataFrame:
    """Return one row per run, record point and target: `transfer_queries.COLUMNS` and `NAMES`.

    `corrupted`: runs of every corruption, whatever is chosen.
    """
    return cooked.rows(recipe(selection, corrupted=corrupted))


def recipe(selection: Selection, *steps: partial[Any], corrupted: bool = False) -> Recipe:
    """Return the recipe of the errors of the runs looked at, and of what `steps` make of them."""
    chosen = selection.runs_of_any_corruption if corrupted else selection.runs
    runs, targets = rows_of(chosen), list(selection.targets)
    read = partial(transfer_frames.errors_of, workspaces=workspaces(), runs=runs, columns=NAMES, targets=targets)
    return Recipe((read, *steps))


def rows_of(runs: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return the runs as `NAMES` has them."""
    return [tuple(row) for row in runs[NAMES].values.tolist()]


def window(place: DeltaGenerator | None = None) -> tuple[float, float]:
    """Return the window of training error that the user looks at: E′ and ε, in the URL in percent, here as shares.

    The controls stand in `place`, or open from a button of their own.
    """
    compared = "Models whose training error lies in [E′, E′ + ε) are compared."
    label = "Training error E′ (%)"
    with place or more.view_options("Training error"):
        at = st.number_input(label, 0.0, 100.0, 0.0, 1.0, "%.1f", "at_percent", compared, bind="query-params", width=170)
        return round(at / 100, 9), choose_epsilon("epsilon", 0.001)


def choose_epsilon(key: str, first: float) -> float:
    """Draw the slider of ε, the width of a window of training error: `first` by default."""
    again = "Recomputed from the records; nothing is trained again."
    return float(st.select_slider("Window ε", EPSILONS, first, in_percent, key, again, bind="query-params", width=220))


def names_of(selection: Selection, frame: pd.DataFrame, by: Sequence[str] = BY) -> pd.Series:
    """Return what tells the models of `frame` (columns `by`) apart, in few words: the model, and what differs besides."""
    return naming.names(frame, selection.differing(frame, by))


def windows(selection: Selection) -> list[Windows | Literal["all"]]:
    """Return the different windows in which the runs looked at evaluated their targets."""
    wanted = set(selection.runs["run"])
    windows_of_runs = {
        str(file.provenance["options"]["windows"]): file.provenance["options"]["windows"]
        for file in selection.have
        if file.run in wanted
    }
    return [each if each == "all" else tuple(tuple(pair) for pair in each) for _, each in sorted(windows_of_runs.items())]


def advise_unmeasured(selection: Selection) -> str:
    """What to do where models lie in a window of which not all were evaluated in the target: not what helps an empty one."""
    if not selection.data.translated:
        return "The training examples have no translations, so there is no IGap. Choose test accuracy or the transfer gap."
    own = [set(each) for each in windows(selection) if each != "all"]
    known = sorted(set.intersection(*own)) if own else []
    said = " or ".join(f"E′ {in_percent(at)} with ε {in_percent(epsilon)}" for at, epsilon in known[:3])
    return (
        "Not all models in this window were evaluated in the targets, so the least is not known. Choose "
        + (f"a window that every run evaluated, such as {said}" if said else "a narrower ε")
        + ", or train with “Targets evaluated: At every record point”."
    )


def say_empty() -> None:
    """Why there is nothing to draw."""
    st.info(
        "No run of this selection is trained yet. What it will cost stands above, and the figures fill as runs arrive.",
        icon=":material/info:",
    )
