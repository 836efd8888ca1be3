"""The layer of each language's best score at every checkpoint: language × checkpoint, coloured by the layer's number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.probing import frames as probing_frames
from isogloss.backend.experiments.probing import queries
from isogloss.backend.figures import probing as figures
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.probing import frames, languages
from isogloss.pages.probing.cards import CARDS
from isogloss.pages.probing.selection import Selection
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: the language tested in × checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        source = languages.choose_source(selection, metric)
    drawn = [_model(selection, model, metric, source) for model in selection.models]
    if not any(drawn):
        frames.say_empty()
        return
    st.caption(
        "Of all layers of a model, whichever are chosen; of equal ones the lowest. Layers whose intervals overlap may swap."
    )


def _model(selection: Selection, model: Model, metric: str, source: str | None) -> bool:
    """Draw the heatmap of one model; whether there was anything to draw."""
    wanted = languages.part_of(selection, [model], source)
    if not wanted.of:
        return False
    steps = partial(rows_with, metric=[metric]), partial(probing_frames.layers_as_values)
    recipe = frames.recipe(wanted, queries.best_layers, [metric], *steps)
    data = cooked.rows(recipe)
    if data.empty:
        return False
    trained = "" if source is None else f", trained on {language_name(source)}"
    checkpoints, tags = selection.checkpoints(model), list(wanted.targets or wanted.sources)
    drawn = partial(
        figures.best_layers,
        metric=metric,
        unit=selection.data.rows,
        languages=tags,
        columns=named_checkpoints(checkpoints, wanted.selection.by),
        column_title=checkpoint_axis(checkpoints, wanted.selection.by),
        depth=model.layers,
        title=f"{model.name}{trained}: layer of the best score",
    )
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"Best layer {figures.MEASURES[metric]} {model.name}{trained}",
        card=CARDS[metric],
        one_seed=wanted.one_seed,
        alt=f"Layer at which {model.name} has the best {figures.within(figures.MEASURES[metric])}, by language and checkpoint",
        clicks=lambda drawn: clickable(drawn, _clicks(model, data, checkpoints, tags)),
    )
    if picked:
        name, checkpoint, tag, layer = picked
        ends = {"pair_source": source or tag, "pair_target": tag}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, at_probe=f"layer {layer}", **ends)
    return True


def _clicks(model: Model, data: pd.DataFrame, checkpoints: Sequence[Checkpoint], tags: Sequence[str]) -> list[list[Any]]:
    """Return what a click on each cell says: model, checkpoint, language and layer."""
    layers = dict(zip(zip(data["target"], data["checkpoint"], strict=True), data["value"].astype(int).tolist(), strict=True))
    return [
        [
            [model.name, each.label, tag, layers[tag, each.fingerprint]] if (tag, each.fingerprint) in layers else None
            for each in checkpoints
        ]
        for tag in tags
    ]
