"""The recipes of the alignment figures, and the controls that several views share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment import maps
from isogloss.backend.experiments.alignment.queries import Among, Wanted, listed
from isogloss.backend.experiments.alignment.rows import FAMILY
from isogloss.backend.experiments.frames import Known, files_of, label_checkpoints, label_choices, rows_with
from isogloss.backend.figures.alignment import MEASURES
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.workspace import workspaces

Part = tuple[Selection, Sequence[tuple[Model, Checkpoint]]]
"""A choice, and the checkpoints of it that are drawn."""


def choose_measure() -> str:
    """Draw the control of the measure, weak (the default) or strong."""
    return segments("Measure", MEASURES, "measure", "weak")


def recipe_of_choices(
    parts: Sequence[Part],
    query: Callable[..., pd.DataFrame],
    *steps: partial[pd.DataFrame],
    measures: Sequence[str] = ("weak", "strong"),
) -> Recipe:
    """Return the recipe of several choices that differ in their options, hence in their `variant`; else as `recipe`."""
    choices = [choice for selection, of in parts for choice in _choices(selection, of)]
    wanted = _wanted(parts)
    return _recipe(
        wanted,
        partial(query, wanted=wanted, **_asked(parts, measures)),
        *_labels(parts[0][0], partial(label_choices, choices=choices)),
        *steps,
    )


def _choices(selection: Selection, of: Sequence[tuple[Model, Checkpoint]]) -> list[tuple[list[str], list[Known]]]:
    """Return the checkpoints of each variant: models may have vectors of their own, and a file scores more than one kind."""
    variants = {model.name: selection.variant(model) for model, _ in of}
    if not variants:
        return [(selection.variants, [])]
    return [
        ([variant], selection.known([each for each in of if variants[each[0].name] == variant]))
        for variant in dict.fromkeys(variants.values())
    ]


def _wanted(parts: Sequence[Part]) -> Wanted:
    found = [selection.wanted([checkpoint for _, checkpoint in of]) for selection, of in parts]
    return found[0] if len(found) == 1 else sorted(set().union(*map(listed, found)))


def _asked(parts: Sequence[Part], measures: Sequence[str]) -> dict[str, Any]:
    variants = list(dict.fromkeys(variant for selection, _ in parts for variant in selection.variants))
    return _arguments(parts[0][0], measures, variants)


def say_empty(selection: Selection) -> None:
    """Why there is nothing to draw: no checkpoint has every pair yet, or there is too little text to score."""
    if not any(selection.complete(model) for model in selection.models):
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


def recipe(
    selection: Selection,
    query: Callable[..., pd.DataFrame],
    *steps: partial[pd.DataFrame],
    of: Sequence[tuple[Model, Checkpoint]],
    measures: Sequence[str] = ("weak", "strong"),
    variants: Sequence[str] | None = None,
) -> Recipe:
    """Return the recipe of the rows of `query` (of `alignment_queries`) over the chosen pairs, and of `steps` on them.

    They have model, checkpoint, label, position and step. `of` are checkpoints that have every chosen pair (`complete`), each
    with the model that it was chosen of: a mean over fewer pairs would be another number, and another model may own the same
    checkpoint. `variants` are those chosen where None.
    """
    wanted = selection.wanted([checkpoint for _, checkpoint in of])
    label: partial[pd.DataFrame] = partial(label_checkpoints, checkpoints=selection.known(of))
    if variants is None:
        choices = _choices(selection, of)
        variants = [variant for own, _ in choices for variant in own]
        label = partial(label_choices, choices=choices) if len(choices) > 1 else label
    return _recipe(
        wanted,
        partial(query, wanted=wanted, **_arguments(selection, measures, variants)),
        *_labels(selection, label),
        *steps,
    )


def layers_in_turn(
    selection: Selection, of: Sequence[tuple[Model, Checkpoint]], measure: str, layers: Sequence[int]
) -> Callable[..., Recipe]:
    """Return what makes the recipe of a map's marks at each of these layers, by the arguments of `on_a_map`."""
    wanted = selection.wanted([checkpoint for _, checkpoint in of])
    variants = [variant for own, _ in _choices(selection, of) for variant in own]
    asked: dict[str, Any] = {"wanted": wanted, **_arguments(selection, [measure], variants)}
    asked |= {"layers": list(layers), "checkpoints": selection.known(of)}
    return lambda **how: _recipe(wanted, partial(maps.layers_in_turn, **asked, **how))


def _recipe(wanted: Wanted, *calls: partial[Any]) -> Recipe:
    """Return the recipe of these calls on the files that hold the rows `wanted`."""
    runs = list(wanted.runs) if isinstance(wanted, Among) else list(dict.fromkeys(run for run, _, _ in wanted))
    return Recipe((partial(files_of, workspaces=workspaces(), family=FAMILY, shards=runs), *calls))


def _arguments(selection: Selection, measures: Sequence[str], variants: Sequence[str]) -> dict[str, Any]:
    """Of a query: which scores."""
    return {"metrics": metrics(selection, measures), "variants": list(variants), "runs": selection.runs}


def _labels(selection: Selection, label: partial[pd.DataFrame]) -> list[partial[pd.DataFrame]]:
    """Return the steps from queried rows to those of the chosen layers, with measures and (by `label`) checkpoints named."""
    return [
        partial(rows_with, layer=list(selection.layers)),
        partial(alignment_frames.name_measures, names={selection.metric(measure): measure for measure in MEASURES}),
        label,
    ]
