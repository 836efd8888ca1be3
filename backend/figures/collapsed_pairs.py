"""The matrix of pairs of many languages by group: a cell is the mean over all pairs of languages of two groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.languages import Order
from isogloss.backend.figures.collapsed import drawn_rows, group_of_each, labels_of
from isogloss.backend.figures.languages import placed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from scipy.sparse import csr_array

    from isogloss.backend.charts.grid import Floats, Grid


def collapsed_pairs(
    cells: Grid,
    languages: Sequence[str],
    order: Order,
    opened: Collection[str] | None,
    pinned: Sequence[str] = (),
    *,
    directed: bool = False,
) -> Grid:
    """Return the cells of pairs of languages, in their `order`, with a row and a column for each of `drawn_rows`.

    A cell is the mean over the pairs that have a score of a language of its row with another of its column; the note says of
    how many (`directed`: both directions of a pair count). Such a mean has no interval, since pairs share languages; a single
    pair keeps its own. A language with itself is undefined, as it was.
    """
    rows = drawn_rows(languages, order, opened, pinned)
    if rows is None:
        return cells
    tags = list(placed(languages, order, pinned)[0])
    of = group_of_each(languages, order)
    groups = [of[tag] for tag in tags]
    belongs = _members(rows, tags, groups)
    known = np.isfinite(cells.values) & ~np.eye(len(tags), dtype=bool)

    def summed(values: Floats | None) -> Floats:
        filled = np.zeros(known.shape) if values is None else np.where(known & np.isfinite(values), values, 0.0)
        return np.asarray(belongs @ (belongs @ filled).T).T

    amount = summed(known.astype(np.float32))
    alike = (belongs @ belongs.T).toarray()  # languages that the row and the column have in common
    sizes = belongs.sum(axis=1)
    possible = np.outer(sizes, sizes) - alike
    undefined = possible == 0
    single = np.outer(sizes, sizes) == 1
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(amount > 0, summed(cells.values) / amount, np.nan)
    itself = (alike == sizes[:, None]) & (alike == sizes[None])
    twice = 1 if directed else np.where(itself, 2, 1)  # within a group each pair is met from both ends
    notes = [
        ["" if one or not of else f"mean of {has:,.0f} of {of:,.0f} pairs" for one, has, of in zip(*line, strict=True)]
        for line in zip(single, amount / twice, possible / twice, strict=True)
    ]
    labels = labels_of(rows, dict(zip(tags, cells.row_labels, strict=True)), groups, opened)
    alone = single & (amount > 0)
    low, high, n = (None if part is None else _at(alone, summed(part)) for part in (cells.low, cells.high, cells.n))
    return replace(
        cells,
        values=np.ascontiguousarray(mean, np.float32),
        row_labels=labels,
        column_labels=labels,
        undefined=undefined,
        row_groups=None,
        notes=tuple(map(tuple, notes)),
        low=low,
        high=high,
        n=n,
    )


def _members(rows: Sequence[tuple[str, str | None]], tags: Sequence[str], groups: Sequence[str]) -> csr_array:
    """Return which languages (`tags`, each of one of the `groups`) belong to each row [rows, languages], with ones."""
    from scipy.sparse import csr_array

    of_group: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        of_group.setdefault(group, []).append(place)
    place_of = {tag: place for place, tag in enumerate(tags)}
    members = [of_group.get(group, []) if tag is None else [place_of[tag]] for group, tag in rows]
    row = np.repeat(np.arange(len(rows)), [len(each) for each in members])
    column = np.array([place for each in members for place in each], np.intp)
    return csr_array((np.ones(len(row)), (row, column)), shape=(len(rows), len(tags)))


def with_diagonal(cells: Grid) -> Grid:
    """Return the lower half with the diagonal of a symmetric grid, the rest silent: groups have pairs within them."""
    above = np.triu(np.ones(cells.values.shape, bool), 1)
    values = np.where(above, np.float32(np.nan), cells.values)
    return replace(cells, values=values, undefined=above if cells.undefined is None else above | cells.undefined)


def _at(places: Floats, values: Floats) -> Floats:
    return np.where(places, values, np.nan).astype(np.float32)
