"""The matrix of language pairs at one layer of one checkpoint, and one pair's detail with the sentences it confuses."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.cards import BOTH
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx.queries import SCORES
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import abx as figures
from isogloss.pages.abx import against, detail, worst
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import more, opened, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.choosing.opened import Rows
from isogloss.pages.widgets.figures import colours, cooked, figure


def draw(selection: Selection) -> None:
    """Draw the matrices of language and meaning discrimination, the pairs in a list, and below them one pair."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "pair")
        layer = layer_of(model, "pair")
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
        fitted = colours.fitted("from chance to 1", disabled=not shared)
        held = against.choose(selection)
        group = seeds.group_of(model, held.groups(selection.models))
    against.offer(selection, held)
    of = group.at(checkpoint, selection.computed)
    by_seed = recipes.scores(selection, abx_queries.pairs, of=of, layers=[layer])
    recipe = by_seed.then(*group.steps([checkpoint], of, bounds_of("abx_meaning"), scores=list(SCORES)))
    data = cooked.rows(recipe)
    above = st.container()
    pair = detail.choose(selection)  # drawn first: the matrix marks the pair that the select boxes hold
    with above:
        clicked = _matrix(
            selection,
            recipe,
            (group.titled(checkpoint), f"{group.name} {checkpoint.label}", f"layer {layer}"),
            rows,
            (shared, fitted),
            pair,
        )
        ticked = worst.draw(selection, group, (model, checkpoint), layer, pair)
    if clicked := clicked or ticked:
        open_cell("Pairs", pair_source=clicked[0], pair_target=clicked[1])
    seeds.tell([group])
    of_model = held.of(model) if held.columns(model) else None
    detail.draw(selection, (model, checkpoint), layer, data, pair, of_model, cooked.rows(by_seed) if group.is_several else None)


def _matrix(
    selection: Selection,
    recipe: Recipe,
    title_parts: tuple[str, str, str],
    rows: Rows,
    scale: tuple[bool, bool | None],
    pair: tuple[str, str],
) -> list[str]:
    """Draw the two matrices, `pair` marked in both; returns the pair clicked now, or nothing.

    `title_parts`: model and checkpoint as a title says them, as a file's name does, and the layer. `scale`:
    whether both have one colour scale, and whether it is fitted.
    """
    drawn = partial(
        figures.pairs,
        languages=list(selection.languages),
        **rows.options,
        shared=scale[0],
        fitted=scale[1],
        some=selection.pairs is not None,
        title=f"{title_parts[0]}, {title_parts[-1]}",
    )
    custom, marked = _clicks(selection, cooked.rows(recipe), rows, pair)
    picked: list[str] = figure.draw(
        recipe.with_chart(drawn),
        name=f"ABX {title_parts[1]} {title_parts[2]} language pairs",
        card=BOTH,
        alt=f"Language and meaning discrimination of every pair of languages at {title_parts[-1]}",
        clicks=lambda drawn: clickable(drawn, custom, custom, selected=marked),
    )
    if len(picked) > 2:  # of groups
        open_cell("Pairs", **{opened.KEY: opened.toggled(rows.opened or (), *picked[:2])})
    return picked


def _clicks(
    selection: Selection, data: pd.DataFrame, rows: Rows, pair: tuple[str, str]
) -> tuple[list[list[list[str] | None]], tuple[int, int] | None]:
    """Return what a click on each cell says, a pair of languages or two groups and a word more, and the cell of `pair`."""
    lines = rows.drawn()
    if lines is None:
        tags = list(figures.ordered_pairs(data, selection.languages, rows.order, rows.pinned)[0])
        marked = figures.in_lower_half(tags.index(pair[0]), tags.index(pair[1]))
        return [
            [[a, b] if column <= row else None for column, b in enumerate(tags[:-1])] for row, a in enumerate(tags[1:])
        ], marked
    said = [
        [None if column > row or (a == b and a[1]) else _said(a, b) for column, b in enumerate(lines)]
        for row, a in enumerate(lines)
    ]
    places = sorted(row for row, (_, tag) in enumerate(lines) if tag in pair)
    return said, (places[1], places[0]) if len(places) == 2 else None


def _said(row: tuple[str, str | None], column: tuple[str, str | None]) -> list[str]:
    if row[1] and column[1]:
        return [row[1], column[1]]
    return [row[0], column[0], "groups"]
