"""Layer × checkpoint heatmaps of both scores (de Seyssel et al. 2025, figure 4); a click on a cell opens its detail."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments.abx import against as steps
from isogloss.pages.abx import against
from isogloss.pages.shared.abx import heatmaps
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import more, seeds
from isogloss.pages.widgets.figures import colours


def draw(selection: Selection) -> None:
    """Draw both scores of each model, mean over the pairs of languages."""
    with more.view_options():
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
        fitted = colours.fitted("from chance to 1", disabled=not shared)
        held = against.choose(selection)
        groups = held.groups(selection.models)
    against.offer(selection, held)
    for group in groups:
        model = group.first
        columns = held.columns(model)
        added = [held.of(model).step(steps.as_columns, selection, selection.layers_of(model))] if columns else []
        rows = heatmaps.of_group(selection, group, shared, fitted=fitted, beside=columns, steps=added)
        if columns and rows is not None:
            against.tell(rows)
    seeds.tell(groups)
