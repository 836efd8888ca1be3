"""Two grids of one measure beside each other, and their difference as a heatmap of its own."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from backend.charts.grid import Grid
from backend.charts.heatmap import difference_heatmap, pair_of_heatmaps
from pages.abx import frames
from pages.abx.trends import CARDS
from pages.widgets import figure

SIDE = "side"
"""The column that says which of the two a row belongs to."""


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


def draw(sides: Sides, metric: str, snippet: str) -> None:
    """Both figures, each with its exports. `snippet` gives `sides.data`; the difference's adds the subtraction."""
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
        snippet=snippet,
        alt=f"{name} of {first} beside {second}",
    )
    less = difference_heatmap(
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
        less,
        name=f"{name} {first} less {second}",
        data=difference(sides),
        card=CARDS[metric],
        snippet=snippet.replace("print(frame)\n", "") + subtraction(sides) + "print(frame)\n",
        alt=f"{name} of {first} less that of {second}",
    )


def difference(sides: Sides) -> pd.DataFrame:
    """A row a cell that both have: the keys, each side's value, and `difference`, the first less the second."""
    wide = sides.data.pivot(index=list(sides.keys), columns=SIDE, values="value")
    wide = wide.reindex(columns=list(sides.names)).dropna()
    return wide.assign(difference=wide[sides.names[0]] - wide[sides.names[1]]).reset_index().rename_axis(columns=None)


def subtraction(sides: Sides) -> str:
    """The Python of `difference`, for a snippet that has made `frame`."""
    first, second = sides.names
    return (
        f"wide = frame.pivot(index={list(sides.keys)!r}, columns={SIDE!r}, values='value').dropna()\n"
        f"frame = wide.assign(difference=wide[{first!r}] - wide[{second!r}]).reset_index().rename_axis(columns=None)\n"
    )
