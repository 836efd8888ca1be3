"""Two checkpoints, models or corpora compared, drawn: one measure of both side by side, and the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.grid import grid, laid_out, pivot
from isogloss.backend.charts.heatmap import pair_of_heatmaps
from isogloss.backend.charts.languages import GROUPED, Order, arranged
from isogloss.backend.experiments.compared import SIDE, of_groups
from isogloss.backend.experiments.family import SHARE
from isogloss.backend.figures.collapsed import collapsed, drawn_rows, group_of_each
from isogloss.backend.figures.collapsed_pairs import collapsed_pairs
from isogloss.backend.figures.languages import language_table
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from isogloss.backend.charts.grid import Floats, Grid
    from isogloss.backend.metrics.intervals import Bounds


@in_recipes
@dataclass(frozen=True)
class Layout:
    """The cells of both sides: what lies down and across, in order, with what each is called."""

    row: str
    """The column of the rows' frame that says which row of the grid a score is in."""
    column: str
    rows: Mapping[Any, str]
    columns: Mapping[Any, str]
    row_title: str
    column_title: str
    first_row: Literal["top", "bottom"] = "bottom"
    groups: Sequence[str] | None = None
    """The family or script of each row, where ordered by that."""
    order: str = ""
    opened: Sequence[str] | None = None
    """Of many languages in an order by groups, the groups that are open; None where nothing is collapsed."""
    pinned: Sequence[str] = ()
    of_pairs: bool = False
    """Rows and columns are both languages: a cell is a directed pair."""


@in_recipes
@dataclass(frozen=True)
class Measured:
    """What is compared: a measure in words, and what its numbers are like."""

    title: str
    axis: str
    """The title with unit and direction."""
    chance: float | None = None
    """The score of guessing."""
    bounds: Bounds = SHARE
    """The least and the greatest value that there can be; None for none."""
    whole: tuple[float, float] | None = None
    """The ends of the colours of both sides where these are not fitted; None for chance to 1."""
    form: str = ".3f"
    """How a number is written."""
    over_pairs: bool = True
    """Whether a language's value is the mean over its pairs with the others."""
    counted: str = "Sentences"
    """What `n` counts."""


@in_recipes
def side_by_side(
    rows: pd.DataFrame, *, of: Measured, sides: tuple[str, str], layout: Layout, fitted: bool | None = False
) -> go.Figure:
    """Draw one measure of two `sides` beside each other, in one colour scale, its whole one if not `fitted`.

    `rows` have side, value, low, high, n, and the layout's `row` and `column`.
    """
    at: Any = {"row": layout.row, "column": layout.column, "rows": layout.rows, "columns": layout.columns}
    at |= {"row_groups": layout.groups, "square": layout.of_pairs}
    left, right = (
        _collapsed(pivot(rows[rows[SIDE] == name], **at, title=f"{letter}: {name}"), layout, of)
        for letter, name in zip("AB", sides, strict=True)
    )
    return pair_of_heatmaps(
        left,
        right,
        colour_titles=(of.axis, of.axis),
        row_title=layout.row_title,
        column_title=layout.column_title,
        first_row=layout.first_row,
        chance=of.chance,
        range=of.whole,
        n_title=of.counted,
        form=of.form,
        show_values=True,
        fitted=fitted,
    )


@in_recipes
def difference(rows: pd.DataFrame, *, of: Measured, sides: tuple[str, str], layout: Layout) -> go.Figure:
    """Draw the first side minus the second: above 0 (brown) where the first is higher, below (blue) where the second is.

    `rows` are those of `experiments.compared.difference`: a column a side, `low` and `high` of each difference, and the
    layout's `row` and `column`. Groups have the mean over their languages, with interval and p as `of_groups` has them,
    corrected over all cells; of pairs between groups the mean has no interval. Cells that are not significant as `corrected`
    has it are hatched, without it those whose interval contains 0; where `rows` have no interval, none are.
    """
    first, second = sides
    wanted = [first, second, *(name for name in ("difference", "low", "high", "p", "p_corrected") if name in rows.columns)]
    at: Any = {"row": layout.row, "column": layout.column, "rows": list(layout.rows), "columns": list(layout.columns)}
    numbers = laid_out(rows, wanted, **at)
    labels = list(layout.rows.values()), list(layout.columns.values())
    itself = np.eye(len(layout.rows), dtype=bool) if layout.of_pairs else None
    both = [_collapsed(grid(numbers[name], *labels, undefined=itself, row_groups=layout.groups), layout, of) for name in sides]
    known = "low" in numbers and bool(np.isfinite(numbers["low"]).any())
    told = [numbers[name] for name in ("low", "high", "p_corrected") if known and name in numbers]
    if layout.opened is not None:
        known = known and "p" in numbers and not layout.of_pairs
        told = [each.astype(np.float32) for each in _of_groups(numbers, layout, of)] if known else []
    cells = [replace(both[0], values=each) for each in told]
    return difference_heatmap(
        *both,
        first_name=first,
        second_name=second,
        colour_title=of.axis.replace(of.title, f"Difference in {_within_a_sentence(of.title)}"),
        row_title=layout.row_title,
        column_title=layout.column_title,
        title=f"Difference: {first} − {second}",
        first_row=layout.first_row,
        form=f"+{of.form}",
        interval=(cells[0], cells[1]) if cells else None,
        corrected=cells[2] if len(cells) > 2 else None,
    )


def order(
    rows: pd.DataFrame, languages: Sequence[str], layers: Sequence[int], by: Order, pinned: Sequence[str] = ()
) -> tuple[dict[str, str], list[str] | None]:
    """Return the languages in one order for both sides and their difference, name by tag, and their groups.

    Clustered by the scores of both sides together, whichever is the first. `rows` have language, layer, value and side.
    """
    meta = language_table(languages)
    parts = [
        pivot(each, row="language", column="layer", rows=list(meta["tag"]), columns=list(layers)).values
        for _, each in rows.groupby(SIDE)
    ]
    return arranged(by, np.hstack(parts), meta, pinned)


def order_of_pairs(
    rows: pd.DataFrame, languages: Sequence[str], by: Order, pinned: Sequence[str] = ()
) -> tuple[dict[str, str], list[str] | None]:
    """Return what `order` does, of the rows of directed pairs: they have source, target, value and side."""
    meta = language_table(languages)
    tags = list(meta["tag"])
    parts = [pivot(each, rows=tags, columns=tags).values for _, each in rows.groupby(SIDE)]
    return arranged(by, np.hstack(parts), meta, pinned)


def _within_a_sentence(title: str) -> str:
    """Return a measure's title as it stands within a sentence: one that begins with an abbreviation keeps it."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def _by(layout: Layout) -> Order:
    return next(each for each in GROUPED if each == layout.order)


def _collapsed(cells: Grid, layout: Layout, of: Measured) -> Grid:
    """Return the cells with a row a group, where many languages are collapsed."""
    if layout.opened is None:
        return cells
    tags = list(layout.rows)
    if layout.of_pairs:
        return collapsed_pairs(cells, tags, _by(layout), layout.opened, layout.pinned, directed=True)
    return collapsed(cells, tags, _by(layout), layout.opened, of.bounds, layout.pinned, over_pairs=of.over_pairs)


def _of_groups(numbers: Mapping[str, Floats], layout: Layout, of: Measured) -> tuple[NDArray[np.float64], ...]:
    """Return low, high and corrected p of the rows of `collapsed`: of a language its own, of a group that of its mean."""
    value, low, high, p = (numbers[name] for name in ("difference", "low", "high", "p"))
    tags, group_of = list(layout.rows), group_of_each(list(layout.rows), _by(layout))
    drawn = drawn_rows(tags, _by(layout), layout.opened, layout.pinned) or ()
    members = [
        [row for row, each in enumerate(tags) if (each == tag if tag else group_of[each] == group)] for group, tag in drawn
    ]
    return of_groups((value, low, high), p, members, of.bounds, over_pairs=of.over_pairs)
