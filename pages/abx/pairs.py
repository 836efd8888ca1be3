"""The matrix of language pairs at one layer of one checkpoint, and one pair's detail with the sentences it confuses."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.languages import Order
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.figures import abx as figures
from isogloss.pages.abx import detail, worst
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.cards import BOTH
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import ordering
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.figures import colours, cooked, figure


def draw(selection: Selection) -> None:
    """Draw the matrices of language and meaning discrimination, the pairs in a list, and below them one pair."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "pair")
        layer = layer_of(model, "pair")
        order = ordering.of_languages(len(selection.languages))
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
        fitted = colours.fitted("from chance to 1", disabled=not shared)
    recipe = recipes.scores(selection, abx_queries.pairs, of=[(model, checkpoint)], layers=[layer])
    data = cooked.rows(recipe)
    above = st.container()
    pair = detail.choose(selection)  # drawn first: the matrix marks the pair that the select boxes hold
    with above:
        clicked = _matrix(
            selection,
            recipe,
            (model.titled(checkpoint), f"{model.name} {checkpoint.label}", f"layer {layer}"),
            order,
            (shared, fitted),
            pair,
        )
        ticked = worst.draw(selection, model, checkpoint, layer, pair)
    if clicked := clicked or ticked:
        open_cell("Pairs", pair_source=clicked[0], pair_target=clicked[1])
    detail.draw(selection, checkpoint, layer, data, *pair, title=f"{model.name} {checkpoint.label}")


def _matrix(
    selection: Selection,
    recipe: Recipe,
    title_parts: tuple[str, str, str],
    order: Order,
    scale: tuple[bool, bool | None],
    pair: tuple[str, str],
) -> list[str]:
    """Draw the two matrices, `pair` marked in both; returns the pair clicked now, or nothing.

    `title_parts`: model and checkpoint as a title says them, as a file's name does, and the layer. `scale`: whether both have
    one colour scale, and whether it is fitted.
    """
    drawn = partial(
        figures.pairs,
        languages=list(selection.languages),
        order=order,
        shared=scale[0],
        fitted=scale[1],
        some=selection.pairs is not None,
        title=f"{title_parts[0]}, {title_parts[-1]}",
    )
    tags = list(figures.ordered_pairs(cooked.rows(recipe), selection.languages, order)[0])
    custom = [[[a, b] if column <= row else None for column, b in enumerate(tags[:-1])] for row, a in enumerate(tags[1:])]
    marked = figures.in_lower_half(tags.index(pair[0]), tags.index(pair[1]))
    return figure.draw(
        recipe.with_chart(drawn),
        name=f"ABX {title_parts[1]} {title_parts[2]} language pairs",
        card=BOTH,
        alt=f"Language and meaning discrimination of every pair of languages at {title_parts[-1]}",
        clicks=lambda drawn: clickable(drawn, custom, custom, selected=marked),
    )
