"""A matrix of many languages trained on and evaluated in, by group: a cell is the mean over the directions of two groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.languages import GROUPED
from isogloss.backend.figures.collapsed import MANY, drawn_rows, group_of_each, labels_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.charts.grid import Floats, Grid
    from isogloss.backend.charts.languages import Order
    from isogloss.backend.figures.ordering import Axes

    Lines = list[tuple[str, str | None]]
    """Rows or columns as drawn: group and language, None for the mean of the group."""


def lines_of(tags: Sequence[str], order: str, opened: Collection[str] | None, pinned: Sequence[str] = ()) -> Lines:
    """Return what is drawn of the languages of one axis: groups where they are more than fit, else each by itself."""
    by: Order | None = next((each for each in GROUPED if each == order), None)
    found = drawn_rows(tags, by, opened, pinned) if by and len(tags) > MANY else None
    return [("", tag) for tag in tags] if found is None else found


def collapsed_directions(cells: Grid, axes: Axes, order: str, opened: Collection[str] | None) -> Grid:
    """Return the cells along `axes`, which stand in `order`, with a row or a column for each of `lines_of`.

    A cell is the mean over the directions that have a value from a language of its row to another of its column; the note says
    of how many. Such a mean has no interval, since directions share languages. A language by itself keeps what it has.
    """
    if opened is None:
        return cells
    tags = list(axes.rows), list(axes.columns)
    rows, columns = (lines_of(own, order, opened, axes.pinned) for own in tags)
    down, across = (_members(own, lines, order) for own, lines in zip(tags, (rows, columns), strict=True))
    apart = np.array(tags[0], object)[:, None] != np.array(tags[1], object)
    alone = np.outer(down.sum(axis=1), across.sum(axis=1)) == 1
    known = np.isfinite(cells.values)
    counted = (known & apart).astype(np.float64)
    amount, possible = down @ counted @ across.T, down @ apart @ across.T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = down @ np.where(known & apart, cells.values, 0.0).astype(np.float64) @ across.T / amount
    at = down.argmax(axis=1)[:, None], across.argmax(axis=1)[None]  # of a single cell its own
    kept = cells.notes or (("",) * len(tags[1]),) * len(tags[0])
    notes = tuple(
        tuple(
            kept[at[0][i, 0]][at[1][0, j]]
            if alone[i, j]
            else f"mean of {amount[i, j]:,.0f} of {possible[i, j]:,.0f} directions"
            for j in range(len(columns))
        )
        for i in range(len(rows))
    )
    undefined = possible == 0 if cells.undefined is None else np.where(alone, cells.undefined[at], possible == 0)
    ends = [None if each is None else _of_single(alone, each[at]) for each in (cells.low, cells.high, cells.n)]
    return replace(
        cells,
        values=np.ascontiguousarray(np.where(alone, cells.values[at], mean), np.float32),
        low=ends[0],
        high=ends[1],
        n=ends[2],
        undefined=undefined & ~(alone & known[at]),
        row_labels=_labels(rows, axes.rows, order, opened),
        column_labels=_labels(columns, axes.columns, order, opened),
        row_groups=cells.row_groups if len(rows) == len(tags[0]) and rows[0][0] == "" else None,
        notes=notes,
    )


def places(
    rows: Iterable[str], columns: Iterable[str], axes: Axes, order: str, opened: Collection[str] | None
) -> list[tuple[int, int]]:
    """(row, column) of the directions from `rows` to `columns`, of those whose two languages are drawn by themselves."""
    shown = order if opened is not None else ""
    down, across = ([tag for _, tag in lines_of(list(own), shown, opened, axes.pinned)] for own in (axes.rows, axes.columns))
    return [(down.index(a), across.index(b)) for a, b in zip(rows, columns, strict=True) if a in down and b in across]


def _groups(tags: Sequence[str], order: str) -> dict[str, str]:
    by: Order = next(each for each in GROUPED if each == order)
    return group_of_each(tags, by)


def _members(tags: Sequence[str], lines: Lines, order: str) -> NDArray[np.float64]:
    """Return which languages each line is of: [lines, languages]."""
    own = _groups(tags, order) if any(tag is None for _, tag in lines) else {}
    return np.array([[own[each] == group if tag is None else each == tag for each in tags] for group, tag in lines], np.float64)


def _labels(lines: Lines, names: Mapping[str, str], order: str, opened: Collection[str]) -> tuple[str, ...]:
    grouped = any(tag is None for _, tag in lines)
    return labels_of(lines, names, list(_groups(list(names), order).values()) if grouped else (), opened)


def _of_single(alone: NDArray[np.bool_], values: Floats) -> Floats:
    return np.where(alone, values, np.nan).astype(np.float32)
