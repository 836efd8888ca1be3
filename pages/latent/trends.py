"""Curves over checkpoints: a line a language, at one layer."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.charts.parts.axes import StepAxis
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.latent import queries
from isogloss.backend.figures import latent as figures
from isogloss.pages.latent import cards
from isogloss.pages.latent.selection import Selection
from isogloss.pages.widgets.choosing.checkpoint_box import layer_of
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.figures import figure


def draw(selection: Selection) -> None:
    """Draw one model's checkpoints."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = selection.target()
        able = {model.name: model for model in selection.models if selection.computed(model)}
        model = able[select("Model", list(able), "trend_model", width=280)]
        layer = layer_of(model, "trend")
        scale: StepAxis = "log" if segments("Axis", ("Linear", "Log"), "axis") == "Log" else "linear"
    recipe = selection.recipe(queries.told, model, selection.computed(model), target=target)
    drawn = partial(
        figures.over,
        x="step",
        scale=scale,
        title=f"{model.name}, layer {layer}",
        **selection.roles(target),
        **selection.axis,
    )
    figure.draw(
        recipe.then(partial(rows_with, layer=[layer])).with_chart(drawn),
        name=f"Latent language over checkpoints {model.name} layer {layer} answers in {target}",
        card=cards.MASS,
        alt=f"Probability of each language's words over checkpoints at layer {layer}, answers in {target}",
    )
