"""The map of a measure of ABX or Geometry: its controls, and what it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from isogloss.backend.charts.parts.text import name_of as short_name
from isogloss.backend.experiments.geometry import queries
from isogloss.backend.experiments.registry import bounds_of
from isogloss.pages.shared import on_a_map
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.shared.on_a_map import Measured
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of


def draw(
    selection: Selection,
    choose_measure: Callable[[], str],
    measured_of: Callable[[str], Measured],
    *,
    of_pairs: Callable[[str], bool] = lambda _: True,
) -> None:
    """Draw the controls and the map: of one layer and checkpoint, or of all chosen layers or checkpoints in turn."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure()
        model, checkpoint = checkpoint_of(selection, "pair")
        layer = layer_of(model, "pair")
        layers, computed = selection.layers_of(model), selection.computed(model)
        wanted = on_a_map.choose(
            selection.models,
            selection.languages,
            "pairs" if of_pairs(metric) else "languages",
            plays=on_a_map.plays({"layer": len(layers), "label": len(computed)}),
            groups=selection.pairs is None,
        )
    measured, group = measured_of(metric), wanted.group_of(model)
    query, columns, title = queries.of_pairs, [checkpoint], f"{group.titled(checkpoint)}, layer {layer}"
    read = [layer]
    match wanted.each:
        case "layer":
            query, read, title = queries.of_pairs_by_layer, layers, model.titled(checkpoint)
        case "label":
            columns, title = group.columns(selection.computed), f"{group.name}, layer {layer}"
    of = [each for column in columns for each in group.at(column, selection.computed)]
    on_a_map.draw(
        recipes.scores(
            selection if of_pairs(metric) else replace(selection, pairs=None),
            query,
            *group.steps(columns, of, bounds_of(metric)),
            of=of,
            layers=read,
            metric=metric,
        ),
        wanted,
        measured,
        languages=selection.languages,
        title=title,
        name=f"{short_name(measured.title)} on a map, {title}",
        first=layer if wanted.each == "layer" else checkpoint.label,
    )
    seeds.tell([group])
    if not group.is_several:
        seeds.tell_one(model, selection.models)
