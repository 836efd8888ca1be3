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
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure


def draw(selection: Selection) -> None:
    """Draw a heatmap a model: the language tested in × checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        source = languages.choose_source(selection, metric)
        groups = seeds.choose(selection.models)
    drawn = [_heatmap(selection, group, metric, source) for group in groups]
    if not any(drawn):
        frames.say_empty()
        return
    seeds.tell(groups)
    st.caption(
        "Of all layers of a model, whichever are chosen; of equal ones the lowest. Layers whose intervals overlap may swap."
    )


def _heatmap(selection: Selection, group: Group, metric: str, source: str | None) -> bool:
    """Draw the heatmap of one model, of several seeds the means of their best layers; whether there was anything to draw."""
    wanted = languages.part_of(selection, group.models, source)
    if not wanted.of:
        return False
    model, checkpoints = group.first, group.columns(selection.checkpoints)
    means = group.steps(checkpoints, wanted.of, (0.0, float(model.layers)))
    steps = partial(rows_with, metric=[metric]), partial(probing_frames.layers_as_values, scores=not means), *means
    recipe = frames.recipe(wanted, queries.best_layers, [metric], *steps)
    data = cooked.rows(recipe)
    if data.empty:
        return False
    trained = "" if source is None else f", trained on {language_name(source)}"
    tags = list(wanted.targets or wanted.sources)
    drawn = partial(
        figures.best_layers,
        metric=metric,
        unit=selection.data.rows,
        languages=tags,
        columns=named_checkpoints(checkpoints, wanted.selection.by),
        column_title=checkpoint_axis(checkpoints, wanted.selection.by),
        depth=model.layers,
        means=group.is_several,
        title=f"{group.name}{trained}: layer of the best score",
    )
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"Best layer {figures.MEASURES[metric]} {group.name}{trained}",
        card=CARDS[metric],
        one_seed="" if group.is_several else wanted.one_seed,
        alt=f"Layer at which {group.name} has the best {figures.within(figures.MEASURES[metric])}, by language and checkpoint",
        clicks=lambda drawn: clickable(drawn, _clicks(model, data, checkpoints, tags)),
    )
    if picked:
        name, checkpoint, tag, layer = picked
        ends = {"pair_source": source or tag, "pair_target": tag}
        open_cell("Errors", at_model=name, at_checkpoint=checkpoint, at_probe=f"layer {layer}", **ends)
    return True


def _clicks(model: Model, data: pd.DataFrame, checkpoints: Sequence[Checkpoint], tags: Sequence[str]) -> list[list[Any]]:
    """Return what a click on each cell says: model, checkpoint, language and layer, of a mean the nearest."""
    layers = dict(
        zip(zip(data["target"], data["checkpoint"], strict=True), data["value"].round().astype(int).tolist(), strict=True)
    )
    return [
        [
            [model.name, each.label, tag, layers[tag, each.fingerprint]] if (tag, each.fingerprint) in layers else None
            for each in checkpoints
        ]
        for tag in tags
    ]
