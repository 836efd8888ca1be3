"""Two sides of one measure beside each other, and their difference as a heatmap of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.boards.card import Card
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.figures.two_sides import Layout
from isogloss.backend.models.entry import Model
from isogloss.pages.shared.compare.evidence import PAIRS_OF_GROUPS, Evidence
from isogloss.pages.widgets.choosing import opened
from isogloss.pages.widgets.choosing.opened import Rows
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim


@dataclass(frozen=True)
class Compared:
    """What is compared, and how both figures of it are drawn."""

    metric: str
    name: str
    """The measure, in the names of figures."""
    card: Card
    beside: Callable[..., go.Figure]
    """Draws both sides: takes rows, `sides`, `layout` and `fitted`."""
    less: Callable[..., go.Figure]
    """Draws the difference: takes rows, `sides` and `layout`."""


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
    of: Compared,
    evidence: Evidence,
    fitted: bool | None,
    rows: Rows | None = None,
) -> None:
    """Draw both figures, each with its exports.

    `recipe` gives the numbers of both `sides`, a row a score, with the name in the column `side`. `fitted`: the colours of both
    sides are. `rows`: of languages, how they stand; a click on a group opens it.
    """
    first, second = sides
    clicks = [_clicks(layout, rows, panels) for panels in (2, 1)]
    beside = recipe.then(*evidence.means(of.metric, [layout.row, layout.column]))
    picked = figure.draw(
        beside.with_chart(partial(of.beside, sides=sides, layout=layout, fitted=fitted)),
        name=f"{of.name} {first} beside {second}",
        card=of.card,
        alt=f"{of.name} of {first} beside {second}",
        clicks=clicks[0],
    )
    picked += draw_difference(recipe, sides, layout, of, evidence, clicks[1])
    if rows is not None:
        opened.follow(picked[: 2 if layout.of_pairs else 1], "Compare", rows.opened)


def _clicks(layout: Layout, rows: Rows | None, panels: int) -> Callable[[go.Figure], go.Figure] | bool:
    """Return what makes the groups of `panels` heatmaps clickable; False where there are none."""
    if rows is None:
        return False
    return (
        opened.clicks_on_pairs(rows, panels=panels)
        if layout.of_pairs
        else opened.clicks(rows, len(layout.columns), panels=panels)
    )


def draw_difference(
    recipe: Recipe,
    sides: tuple[str, str],
    layout: Layout,
    of: Compared,
    evidence: Evidence,
    clicks: Callable[[go.Figure], go.Figure] | bool = False,
) -> list[Any]:
    """Draw one side less the other, and say what its intervals are; returns what was clicked."""
    first, second = sides
    subtracted = recipe.then(*evidence.steps(of.metric, [layout.row, layout.column], sides))
    title = f"{of.name}, difference: {first} − {second}"
    picked = figure.draw(
        subtracted.with_chart(partial(of.less, sides=sides, layout=layout)),
        name=title,
        card=of.card,
        alt=title,
        clicks=clicks,
    )
    if layout.of_pairs and layout.opened is not None:
        st.caption(PAIRS_OF_GROUPS)
    else:
        evidence.tell(of.metric, cooked.rows(subtracted), of_groups=layout.opened is not None)
    return picked
