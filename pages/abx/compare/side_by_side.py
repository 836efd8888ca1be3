"""Two sides of one measure beside each other, and their difference as a heatmap of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.figures import abx_compare as figures
from isogloss.backend.figures.abx import chance
from isogloss.backend.figures.abx_compare import Layout
from isogloss.backend.models.entry import Model
from isogloss.pages.abx.compare.evidence import Evidence, OverSeeds
from isogloss.pages.abx.trends import CARDS
from isogloss.pages.widgets.choosing import opened
from isogloss.pages.widgets.choosing.opened import Rows
from isogloss.pages.widgets.figures import colours, cooked, figure
from isogloss.pages.widgets.words import verbatim


def fit(metric: str) -> bool | None:
    """Draw the range of the colours of both sides; those of retrieval are fitted, its chance being near 0."""
    return chance(metric) is None or colours.fitted("from chance to 1")


def shared_layers(chosen: Sequence[int], models: Sequence[Model]) -> list[int]:
    """Return the chosen layers that all of `models` have; where there is none, say so."""
    shallow = min(models, key=lambda model: model.layers)
    shared = [layer for layer in chosen if layer <= shallow.layers]
    if not shared:
        st.caption(
            f"None of the chosen layers is in both: {verbatim(shallow.name)} has layers 0 to {shallow.layers}. "
            "Choose others under *Checkpoints and layers*."
        )
    return shared


def draw(
    recipe: Recipe,
    sides: tuple[str, str],
    layout: Layout,
    metric: str,
    evidence: Evidence | OverSeeds,
    fitted: bool | None,
    rows: Rows | None = None,
) -> None:
    """Draw both figures, each with its exports.

    `recipe` gives the numbers of both `sides`, a row a score, with the name in the column `side`. `fitted`: the colours of both
    sides are (`fit`). `rows`: of languages, how they stand; a click on a group opens it.
    """
    first, second = sides
    name = CARDS[metric].name
    clicks = [False if rows is None else opened.clicks(rows, len(layout.columns), panels=panels) for panels in (2, 1)]
    keys = [layout.row, layout.column]
    beside = recipe.then(evidence.means(metric, keys)) if isinstance(evidence, OverSeeds) else recipe
    picked = figure.draw(
        beside.with_chart(partial(figures.side_by_side, metric=metric, sides=sides, layout=layout, fitted=fitted)),
        name=f"{name} {first} beside {second}",
        card=CARDS[metric],
        alt=f"{name} of {first} beside {second}",
        clicks=clicks[0],
    )
    picked += draw_difference(recipe, sides, layout, metric, evidence, clicks[1])
    if rows is not None:
        opened.follow(picked[:1], "Compare", rows.opened)


def draw_difference(
    recipe: Recipe,
    sides: tuple[str, str],
    layout: Layout,
    metric: str,
    evidence: Evidence | OverSeeds,
    clicks: Callable[[go.Figure], go.Figure] | bool = False,
) -> list[Any]:
    """Draw one side less the other, and say what its intervals are; returns what was clicked."""
    first, second = sides
    subtracted = recipe.then(*evidence.steps(metric, [layout.row, layout.column], sides))
    title = f"{CARDS[metric].name}, difference: {first} − {second}"
    picked = figure.draw(
        subtracted.with_chart(partial(figures.difference, metric=metric, sides=sides, layout=layout)),
        name=title,
        card=CARDS[metric],
        alt=title,
        clicks=clicks,
    )
    match evidence:
        case OverSeeds():
            evidence.tell(cooked.rows(subtracted))
        case Evidence():
            evidence.tell(metric, cooked.rows(subtracted), of_groups=layout.opened is not None)
    return picked
