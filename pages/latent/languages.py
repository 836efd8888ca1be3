"""Languages × layers: whose words each layer tells; from a cell to the words."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.latent import queries
from isogloss.backend.figures import latent as figures
from isogloss.backend.figures.languages import ordered_languages
from isogloss.pages.latent import cards
from isogloss.pages.latent.selection import Selection
from isogloss.pages.widgets.choosing import more, opened
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.figures import colours, cooked, figure


def draw(selection: Selection) -> None:
    """Draw the heatmap of one checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = selection.target()
        model, checkpoint = checkpoint_of(selection, "lens")
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
        fitted = colours.fitted("from 0 to 1")
    layers = selection.layers_of(model)
    recipe = selection.recipe(queries.told, model, [checkpoint], target=target)
    at = {"row": "language", "column": "layer"}
    names, _ = ordered_languages(cooked.rows(recipe), selection.languages, layers, rows.order, rows.pinned, **at)
    drawn = partial(
        figures.languages_by_layers,
        layers=layers,
        fitted=fitted,
        title=model.titled(checkpoint),
        languages=list(selection.languages),
        **rows.options,
    )
    lines = rows.drawn() or [("", tag) for tag in names]

    def on_page(drawn: go.Figure) -> go.Figure:
        return clickable(drawn, [[[tag, layer] if tag else [group] for layer in layers] for group, tag in lines])

    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"Latent language by layer {model.name} {checkpoint.label} answers in {target}",
        card=cards.MASS,
        alt=f"Probability of every language's words by layer, answers in {target}",
        clicks=on_page,
    )
    if len(picked) == 1:
        opened.follow(picked, "Languages × layers", rows.opened)
    elif picked:
        tag, layer = picked
        cell = {"word_model": model.name, "word_checkpoint": checkpoint.label, "word_layer": int(layer), "word_language": tag}
        open_cell("Words", answer=target, **cell)
