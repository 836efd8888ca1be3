"""Languages on a map: how well each one's words or sentences find their translations."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import alignment as figures
from isogloss.pages.alignment import frames
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.shared import on_a_map
from isogloss.pages.shared.on_a_map import Measured
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.figures import cooked


def draw(selection: Selection) -> None:
    """Draw the map of one layer and checkpoint, or of all chosen layers or checkpoints in turn."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = frames.choose_measure()
        model, checkpoint = checkpoint_of(selection, "at", last=True)
        layer = layer_of(model, "at")
        layers, complete = selection.layers_of(model), selection.complete(model)
        plays = on_a_map.plays({"layer": len(layers), "label": len(complete)})
        size = len(selection.languages)
        whole = len(selection.pairs) == size * (size - 1) // 2
        wanted = on_a_map.choose(selection.models, selection.languages, plays=plays, groups=whole)
    group = wanted.group_of(model)
    title = {"layer": model.titled(checkpoint), "label": f"{group.name}, layer {layer}"}.get(
        wanted.each or "", f"{group.titled(checkpoint)}, layer {layer}"
    )
    columns = group.columns(selection.complete) if wanted.each == "label" else [checkpoint]
    of = [each for column in columns for each in group.at(column, selection.computed)]
    recipe = frames.recipe(
        selection,
        partial(alignment_queries.pairs, layers=[layer]),
        partial(rows_with, layer=[layer]),
        *group.steps(columns, of, bounds_of(selection.metric(measure)), also=["variant"]),
        of=of,
        measures=[measure],
    )
    if cooked.rows(recipe).empty:
        frames.say_empty(selection)
        return
    on_a_map.draw(
        frames.layers_in_turn(selection, of, measure, layers) if wanted.each == "layer" else recipe,
        wanted,
        Measured(figures.unit_title(selection.unit, measure), card(selection), scale=(0.0, 1.0)),
        languages=selection.languages,
        title=title,
        name=f"{figures.MEASURES[measure]} of {selection.unit}s on a map, {title}",
        first=layer if wanted.each == "layer" else checkpoint.label,
    )
    seeds.tell([group])
    if not group.is_several:
        seeds.tell_one(model, selection.models)
