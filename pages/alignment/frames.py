"""The frames behind the alignment figures, cached by what they depend on: the files, their times, and the selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.experiments.alignment import frames as alignment_frames
from backend.experiments.alignment.rows import FAMILY
from backend.experiments.frames import files_of, label_checkpoints, label_choices, rows_with
from backend.figures.alignment import MEASURES
from backend.models.entry import Checkpoint, Model
from pages.alignment.selection import Selection
from pages.widgets.figures import notebook
from pages.widgets.server import keyed
from pages.widgets.workspace import workspaces

Part = tuple[Selection, Sequence[tuple[Model, Checkpoint]]]
"""A choice, and the checkpoints of it that are drawn."""


def choose_measure() -> str:
    """Draw the control of the measure, weak (the default) or strong."""
    chosen = st.segmented_control(
        "Measure",
        list(MEASURES),
        default="weak",
        format_func=MEASURES.__getitem__,
        required=True,
        key="measure",
        bind="query-params",
    )
    return chosen or "weak"


def labelled(
    selection: Selection,
    query: Callable[..., pd.DataFrame],
    of: Sequence[tuple[Model, Checkpoint]],
    measures: Sequence[str] = ("weak", "strong"),
    variants: Sequence[str] | None = None,
) -> pd.DataFrame:
    """The rows of `query` (of `alignment_queries`) over the chosen pairs, with model, checkpoint, label, position and step.

    `of` are checkpoints that have every chosen pair (`complete`), each with the model that it was chosen of: a mean over fewer
    pairs would be another number, and another model may own the same checkpoint. `variants` are those chosen where None.
    """
    checkpoints = [checkpoint for _, checkpoint in of]
    files = selection.files(checkpoints, selection.pairs)
    wanted = selection.wanted(checkpoints, selection.pairs)
    found = keyed.rows(query, files, wanted=wanted, **_arguments(selection, measures, variants))
    return notebook.apply(found, *_labels(selection, partial(label_checkpoints, checkpoints=selection.known(of))))


def together(
    parts: Sequence[Part], query: Callable[..., pd.DataFrame], measures: Sequence[str] = ("weak", "strong")
) -> pd.DataFrame:
    """The rows of `query` over several choices that differ in their options, hence in their `variant`; as of `labelled`."""
    files = {each for selection, of in parts for each in selection.files([checkpoint for _, checkpoint in of], selection.pairs)}
    found = keyed.rows(query, sorted(files), wanted=_wanted(parts), **_asked(parts, measures))
    return notebook.apply(found, *_labels(parts[0][0], _of_parts(parts)))


def python_together(
    parts: Sequence[Part],
    query: Callable[..., pd.DataFrame],
    *steps: partial[pd.DataFrame],
    measures: Sequence[str] = ("weak", "strong"),
) -> Recipe:
    """Return the rows of `together`, and what `steps` make of them, in Python."""
    wanted = _wanted(parts)
    return notebook.python(
        partial(files_of, workspaces=workspaces(), family=FAMILY, shards=list(dict.fromkeys(run for run, _, _ in wanted))),
        partial(query, wanted=wanted, **_asked(parts, measures)),
        *_labels(parts[0][0], _of_parts(parts)),
        *steps,
    )


def _wanted(parts: Sequence[Part]) -> list[tuple[str, str, str]]:
    found = (selection.wanted([checkpoint for _, checkpoint in of], selection.pairs) for selection, of in parts)
    return sorted({each for of_part in found for each in of_part})


def _asked(parts: Sequence[Part], measures: Sequence[str]) -> dict[str, Any]:
    variants = list(dict.fromkeys(variant for selection, _ in parts for variant in selection.variants))
    return _arguments(parts[0][0], measures, variants)


def complete(selection: Selection, model: Model) -> list[Checkpoint]:
    """Return the checkpoints that have every chosen pair."""
    return [
        checkpoint
        for checkpoint in selection.checkpoints(model)
        if all((checkpoint.fingerprint, pair) in selection.served for pair in selection.pairs)
    ]


def say_empty(selection: Selection) -> None:
    """Why there is nothing to draw: no checkpoint has every pair yet, or there is too little text to score."""
    if not any(complete(selection, model) for model in selection.models):
        st.info("Figures are drawn once one checkpoint has every chosen pair.", icon=":material/info:")
        return
    few, remedy = (
        ("word pairs", "a larger corpus or dictionary") if selection.unit == "word" else ("sentences", "a larger corpus")
    )
    st.info(
        f"All is computed, but no two of these languages share two {few} that could be told apart. Choose {remedy}.",
        icon=":material/info:",
    )


def metrics(selection: Selection, measures: Sequence[str]) -> list[str]:
    """Return the scores' metrics: weak and strong are the unit's own, others go by their name."""
    return [selection.metric(measure) if measure in MEASURES else measure for measure in measures]


def python(
    selection: Selection,
    query: Callable[..., pd.DataFrame],
    *steps: partial[pd.DataFrame],
    of: Sequence[tuple[Model, Checkpoint]],
    measures: Sequence[str] = ("weak", "strong"),
    variants: Sequence[str] | None = None,
) -> Recipe:
    """Return the rows of `query` (of `alignment_queries`) again, labelled, and what `steps` make of them, in Python."""
    wanted = selection.wanted([checkpoint for _, checkpoint in of], selection.pairs)
    return notebook.python(
        partial(files_of, workspaces=workspaces(), family=FAMILY, shards=list(dict.fromkeys(run for run, _, _ in wanted))),
        partial(query, wanted=wanted, **_arguments(selection, measures, variants)),
        *_labels(selection, partial(label_checkpoints, checkpoints=selection.known(of))),
        *steps,
    )


def _arguments(selection: Selection, measures: Sequence[str], variants: Sequence[str] | None) -> dict[str, Any]:
    """Of a query: which scores."""
    chosen = list(variants or selection.variants)
    return {"metrics": metrics(selection, measures), "variants": chosen, "runs": selection.runs}


def _of_parts(parts: Sequence[Part]) -> partial[pd.DataFrame]:
    """Return the step that names the checkpoints of several choices, each of which may draw others of a model."""
    return partial(label_choices, choices=[(list(selection.variants), selection.known(of)) for selection, of in parts])


def _labels(selection: Selection, label: partial[pd.DataFrame]) -> list[partial[pd.DataFrame]]:
    """Return the steps from queried rows to those of the chosen layers, with measures and (by `label`) checkpoints named."""
    return [
        partial(rows_with, layer=list(selection.layers)),
        partial(alignment_frames.name_measures, names={selection.metric(measure): measure for measure in MEASURES}),
        label,
    ]
