"""Many languages by group: a row a family (genus, script, region, level) with its mean, whose languages a click shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.languages import GROUPED, PINNED, Order
from isogloss.backend.experiments.language_groups import mean_over
from isogloss.backend.figures.languages import placed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from isogloss.backend.charts.grid import Floats, Grid
    from isogloss.backend.metrics.intervals import Bounds

MANY = 40
"""More languages than this open collapsed where they stand by group: their rows would not fit a screen."""


def drawn_rows(
    languages: Sequence[str], order: Order, opened: Collection[str] | None, pinned: Sequence[str] = ()
) -> list[tuple[str, str | None]] | None:
    """Return (group, language) of each row of `collapsed`, None for the language of a mean; None where nothing is collapsed."""
    if opened is None or order not in GROUPED:
        return None
    names, groups = placed(languages, order)
    rows: list[tuple[str, str | None]] = [(PINNED, tag) for tag in dict.fromkeys(pinned) if tag in names]
    for group, pairs in groupby(zip(groups or (), names, strict=True), key=lambda pair: pair[0]):
        rows += [(group, None), *((group, tag) for _, tag in pairs if group in opened and tag not in pinned)]
    return rows


def collapsed(
    cells: Grid,
    languages: Sequence[str],
    order: Order,
    opened: Collection[str] | None,
    bounds: Bounds = (None, None),
    pinned: Sequence[str] = (),
    *,
    over_pairs: bool = False,
) -> Grid:
    """Return the cells of languages in their `order` with a row a group: its mean with its interval over its languages.

    Groups that are `opened` (−) have their languages below, others (+) have not; None collapses nothing, as does an order
    without groups. A mean's note says over how many languages it is, since not all may have a score; a group of one language
    is that language. Intervals of means are cut off at the measure's `bounds`; where languages' values are means `over_pairs`,
    they count that languages are partners of each other. Languages that are `pinned` stand first, and count in the means of
    their groups.
    """
    rows = drawn_rows(languages, order, opened, pinned)
    if rows is None:
        return cells
    place = {tag: row for row, tag in enumerate(placed(languages, order, pinned)[0])}
    of = group_of_each(languages, order)
    members: dict[str, list[int]] = {}
    for tag, group in of.items():
        members.setdefault(group, []).append(place[tag])
    whose = [members[group] if tag is None else [place[tag]] for group, tag in rows]
    made = [
        _row(cells, own, bounds, mean=tag is None, over_pairs=over_pairs) for own, (_, tag) in zip(whose, rows, strict=True)
    ]
    value, low, high, n = (np.ascontiguousarray([row[part] for row in made], np.float32) for part in range(4))
    return replace(
        cells,
        values=value,
        low=low,
        high=high,
        n=n,
        row_labels=labels_of(rows, {tag: cells.row_labels[row] for tag, row in place.items()}, of.values(), opened),
        row_groups=None,
        notes=tuple(row[4] for row in made),
    )


def group_of_each(languages: Sequence[str], order: Order) -> dict[str, str]:
    """Return each language's group in an order that has groups, as the languages stand in it."""
    names, groups = placed(languages, order)
    return dict(zip(names, groups or (), strict=True))


def labels_of(
    rows: Sequence[tuple[str, str | None]], names: Mapping[str, str], groups: Iterable[str], opened: Collection[str] | None
) -> tuple[str, ...]:
    """Return what `rows` are called: a language by its name, a group with its size, + where it is closed and − where open."""
    sizes = Counter(groups)
    signs = {group: "−" if group in (opened or ()) else "+" for group in sizes}
    return tuple(f"{signs[group]} {group} ({sizes[group]})" if tag is None else names[tag] for group, tag in rows)


def _row(
    cells: Grid, members: Sequence[int], bounds: Bounds, *, mean: bool, over_pairs: bool
) -> tuple[Floats, Floats, Floats, Floats, tuple[str, ...]]:
    """Return value, low, high, n and notes of a row: a language's own, or the `mean` of several."""
    columns = len(cells.column_labels)
    nothing = np.full(columns, np.nan, np.float32)
    if len(members) == 1:
        own = members[0]
        told = cells.row_labels[own] if mean else ""
        kept = cells.notes[own] if cells.notes else ("",) * columns
        value, low, high, n = (
            nothing if each is None else each[own] for each in (cells.values, cells.low, cells.high, cells.n)
        )
        return value, low, high, n, tuple(note or told for note in kept)
    partners = np.delete(cells.values, list(members), axis=0) if over_pairs else None
    found = mean_over(cells.values[list(members)], bounds, partners)
    notes = [f"mean of {amount} of {len(members)} languages" if amount else "" for amount in found.n]
    return found.value, found.low, found.high, nothing, tuple(notes)
