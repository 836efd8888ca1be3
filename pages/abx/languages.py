"""Languages × checkpoints or layers, raw and normalised per language (de Seyssel et al. 2025, figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.abx import against as steps
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import abx as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.figures.layers import LAYER
from isogloss.pages.abx import against
from isogloss.pages.abx.trends import CARDS
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import more, opened, seeds
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import colours, figure

COLUMNS = "Layers: of each model's last chosen checkpoint. Checkpoints: the mean of the chosen layers."


@dataclass(frozen=True)
class Across:
    """What lies across a model's heatmap, and the recipe of its numbers."""

    column: str
    names: Mapping[Any, str]
    title: str
    of: str
    """The model, and the checkpoint where there is one."""
    recipe: Recipe

    def beside(self, names: Mapping[Any, str], step: partial[Any]) -> Across:
        """Return the same with further columns, whose numbers a step adds."""
        return replace(self, names={**self.names, **names}, recipe=self.recipe.then(step))


def draw(selection: Selection) -> None:
    """Draw a heatmap a model and score: mean over each language's pairs, a column a checkpoint or a layer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        columns = segments(
            "Columns", ("Checkpoints", "Layers"), "across", "Checkpoints" if selection.is_series else "Layers", COLUMNS
        )
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
        normalised = st.toggle("Each language on its own scale", key="normalised", bind="query-params")
        fitted = colours.fitted("from chance to 1", disabled=normalised)
        held = against.choose(selection)
        groups = held.groups(selection.models)
    against.offer(selection, held)
    of_model = _layers if columns == "Layers" else _checkpoints
    for group in groups:
        if not group.of(selection.computed):
            continue
        model, across = group.first, of_model(selection, group)
        if (beside := held.columns(model)) and not normalised:  # a language's own scale is of what the model has
            columns_of, layers = steps.as_columns_of_languages, selection.layers_of(model)
            across = across.beside(beside, held.of(model).step(columns_of, selection, layers, column=across.column))
        for metric, measure in figures.METRICS.items():
            drawn = partial(
                figures.by_language,
                metric=metric,
                languages=list(selection.languages),
                column=across.column,
                columns=across.names,
                column_title=across.title,
                **rows.options,
                normalised=normalised,
                fitted=fitted,
                model=across.of,
            )
            picked = figure.draw(
                across.recipe.then(partial(rows_with, metric=[metric])).with_chart(drawn),
                name=f"{across.of} {measure} by language",
                card=CARDS[metric],
                alt=f"{measure} of {across.of} by language and {across.column}",
                clicks=opened.clicks(rows, len(across.names)),
            )
            opened.follow(picked, "Languages", rows.opened)
    seeds.tell(groups)


def _checkpoints(selection: Selection, group: Group) -> Across:
    """Return every checkpoint, the mean of the chosen layers."""
    shown, of = group.columns(selection.checkpoints), group.of(selection.computed)
    means = group.steps(shown, of, bounds_of("abx_meaning"))
    recipe = recipes.scores(selection, abx_queries.by_language, *means, of=of, layers=list(selection.layers))
    return Across(
        "checkpoint", named_checkpoints(shown, selection.by), checkpoint_axis(shown, selection.by), group.name, recipe
    )


def _layers(selection: Selection, group: Group) -> Across:
    """Return the chosen layers of the last computed checkpoint."""
    last = group.columns(selection.computed)[-1]
    layers, of = selection.layers_of(group.first), group.at(last, selection.computed)
    steps = (partial(rows_with, layer=layers), *group.steps([last], of, bounds_of("abx_meaning")))
    recipe = recipes.scores(selection, abx_queries.by_language_and_layer, *steps, of=of)
    return Across("layer", {layer: str(layer) for layer in layers}, LAYER, group.titled(last), recipe)
