"""Two grids of one measure beside each other, and their difference as a heatmap of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd

from backend.boards.recipe import Recipe
from backend.charts.grid import Grid
from backend.charts.heatmap import difference_heatmap, pair_of_heatmaps
from backend.experiments.abx import frames as abx_frames
from pages.abx.trends import CARDS
from pages.shared.abx import frames
from pages.widgets import figure


@dataclass(frozen=True)
class Sides:
    """Two things compared: their names, and for each a grid with the same rows and columns."""

    names: tuple[str, str]
    grids: tuple[Grid, Grid]
    data: pd.DataFrame
    """The numbers of both, a row a score, with the name in the column `side`."""
    keys: tuple[str, ...]
    """The columns that place a score in its grid, by which the two sides are joined."""
    row_title: str
    column_title: str
    first_row: str = "bottom"


def draw(sides: Sides, metric: str, python: Callable[..., Recipe]) -> None:
    """Both figures, each with its exports. `python` writes what gives `sides.data`, and then what further steps make of it."""
    first, second = sides.names
    name = CARDS[metric].name
    pair = pair_of_heatmaps(
        *sides.grids,
        colour_titles=(frames.UNITS[metric], frames.UNITS[metric]),
        row_title=sides.row_title,
        column_title=sides.column_title,
        first_row=sides.first_row,
        chance=frames.chance(metric),
    )
    figure.show(
        pair,
        name=f"{name} {first} beside {second}",
        data=sides.data,
        card=CARDS[metric],
        snippet=python(),
        alt=f"{name} of {first} beside {second}",
    )
    less = partial(abx_frames.difference, keys=list(sides.keys), names=list(sides.names))
    drawn = difference_heatmap(
        *sides.grids,
        first_name=first,
        second_name=second,
        colour_title=f"Difference in {name.lower()} ({frames.SHARES[metric]})",
        row_title=sides.row_title,
        column_title=sides.column_title,
        title=f"{first} less {second}",
        first_row=sides.first_row,
    )
    figure.show(
        drawn,
        name=f"{name} {first} less {second}",
        data=less(sides.data),
        card=CARDS[metric],
        snippet=python(less),
        alt=f"{name} of {first} less that of {second}",
    )
