"""The data of a heatmap: a rectangle of scores with its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.charts.parts.hatch import NAME
from isogloss.backend.charts.parts.text import name_of, number, safe

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float32]
    """Of any shape."""


@dataclass(frozen=True)
class Grid:
    """Scores `[rows, columns]`, nan where not computed, with labels and, for each cell, what the hover adds.

    `undefined` marks cells that can have no score, such as a language against itself: they stay empty and silent, whereas a
    missing score is shown as not computed. `low` to `high` is the 95% interval. `row_groups` and `column_groups` name the
    family or script of each row and column. `notes` `[rows][columns]` end the hover of a cell; of a missing score they say why,
    in place of "not computed".
    A column's label may begin with the stage of training that it belongs to, parted by a line break (`parts.stages.GROUP`).
    `lacking` is what the hatch over missing scores is called.
    """

    values: Floats
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    title: str = ""
    low: Floats | None = None
    high: Floats | None = None
    n: Floats | None = None
    undefined: NDArray[np.bool_] | None = None
    row_groups: tuple[str, ...] | None = None
    column_groups: tuple[str, ...] | None = None
    notes: tuple[tuple[str, ...], ...] | None = None
    lacking: str = NAME

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mark the cells whose score could be computed and is missing."""
        gaps = ~np.isfinite(self.values)
        return gaps if self.undefined is None else gaps & ~self.undefined


def grid(
    values: ArrayLike,
    row_labels: Sequence[object],
    column_labels: Sequence[object],
    *,
    title: str = "",
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    n: ArrayLike | None = None,
    undefined: ArrayLike | None = None,
    row_groups: Sequence[object] | None = None,
) -> Grid:
    """Make a `Grid` of contiguous float32 arrays. Raises `ValueError` where the shapes do not fit each other."""
    rows, columns = tuple(map(str, row_labels)), tuple(map(str, column_labels))
    shape = (len(rows), len(columns))

    def floats(array: ArrayLike) -> Floats:
        floats_of = np.ascontiguousarray(array, dtype=np.float32)
        if floats_of.size == 0 and 0 in shape:
            return np.empty(shape, np.float32)
        if floats_of.shape != shape:
            raise ValueError(f"An array of {floats_of.shape} does not fit {shape[0]} row labels and {shape[1]} column labels.")
        return floats_of

    groups = None if row_groups is None else tuple(map(str, row_groups))
    if groups is not None and len(groups) != len(rows):
        raise ValueError(f"{len(groups)} groups do not fit {len(rows)} rows.")
    return Grid(
        floats(values),
        rows,
        columns,
        title=title,
        low=None if low is None else floats(low),
        high=None if high is None else floats(high),
        n=None if n is None else floats(n),
        undefined=None if undefined is None else floats(undefined).astype(bool),
        row_groups=groups,
    )


def pivot(
    frame: pd.DataFrame,
    *,
    row: str = "source",
    column: str = "target",
    rows: Collection[Any] | None = None,
    columns: Collection[Any] | None = None,
    title: str = "",
    symmetric: bool = False,
    square: bool = False,
    row_groups: Sequence[object] | None = None,
) -> Grid:
    """Pivot a long frame of scores (columns `row`, `column`, `value`, and optionally `low`, `high`, `n`) into a `Grid`.

    `rows` and `columns` give the order and say which cells there should be, a mapping also what each is called: those without a
    score in the frame are nan. Left out, they are the frame's own in rising order. `square` leaves the diagonal undefined,
    where a row and a column are the same thing; `symmetric` does so too, and fills each pair (a, b) at (b, a).
    Raises `ValueError` where two rows of the frame are for the same cell: aggregate first.
    """
    ends = [row, column] if symmetric else [row]
    row_keys = list(rows) if rows is not None else sorted({key for end in ends for key in frame[end].unique()})
    column_keys = list(columns) if columns is not None else (row_keys if symmetric else sorted(frame[column].unique()))
    names = ["value", *(name for name in ("low", "high", "n") if name in frame.columns)]
    numbers = laid_out(frame, names, row=row, column=column, rows=row_keys, columns=column_keys, symmetric=symmetric)
    extra = {name: numbers.get(name) for name in ("low", "high", "n")}
    same = np.equal.outer(_as_they_are(row_keys), _as_they_are(column_keys)) if square or symmetric else None
    return grid(
        numbers["value"],
        list(rows.values()) if isinstance(rows, Mapping) else row_keys,
        list(columns.values()) if isinstance(columns, Mapping) else column_keys,
        title=title,
        undefined=same,
        row_groups=row_groups,
        **extra,
    )


def laid_out(
    frame: pd.DataFrame,
    names: Collection[str],
    *,
    row: str,
    column: str,
    rows: Sequence[Any],
    columns: Sequence[Any],
    symmetric: bool = False,
) -> dict[str, Floats]:
    """Return columns of a long frame as arrays `[rows, columns]`, nan where it has no such row; as `pivot` does, which see."""
    at, sources = _cells(frame, row, column, rows, columns, symmetric)
    arrays = {name: np.full((len(rows), len(columns)), np.nan, np.float32) for name in names}
    for name, array in arrays.items():
        array[at[:, 0], at[:, 1]] = frame[name].to_numpy(np.float32, na_value=np.nan)[sources]
    return arrays


def _cells(
    frame: pd.DataFrame, row: str, column: str, rows: Sequence[Any], columns: Sequence[Any], symmetric: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the row and the column of each cell that has a score `[cells, 2]`, and the place of that score in `frame`."""
    ways = [(row, column), (column, row)] if symmetric else [(row, column)]
    at = np.concatenate([np.column_stack([_places(frame[r], rows), _places(frame[c], columns)]) for r, c in ways])
    sources = np.tile(np.arange(len(frame)), len(ways))
    known = (at >= 0).all(axis=1)
    at, sources = at[known], sources[known]
    cell = at[:, 0] * len(columns) + at[:, 1]
    if np.bincount(cell).max(initial=0) < 2:
        return at, sources
    order = np.argsort(cell, kind="stable")
    twice = (np.diff(cell[order]) == 0) & (np.diff(sources[order]) != 0)
    if twice.any():
        first, second = (rows[at[order[np.argmax(twice)], 0]], columns[at[order[np.argmax(twice)], 1]])
        raise ValueError(f"More than one score for {row} {first!r} and {column} {second!r}: aggregate first.")
    return at, sources


def _places(keys: pd.Series, among: Sequence[Any]) -> NDArray[np.intp]:
    """Return where each key stands among others, −1 where it does not: looked up once for all rows that have it."""
    places = {key: place for place, key in enumerate(among)}
    codes, known = pd.factorize(keys, use_na_sentinel=False)
    return np.array([places.get(key, -1) for key in known.tolist()], np.intp)[codes]


def _as_they_are(keys: Sequence[Any]) -> NDArray[np.object_]:
    """Return keys of any kind as an array of themselves."""
    array = np.empty(len(keys), object)
    array[:] = keys
    return array


def hover_texts(
    cells: Grid, *, row_title: str, column_title: str, colour_title: str, form: str = ".3f", n_title: str = "n"
) -> NDArray[np.object_]:
    """Write the hover of each cell: its labels, its score, the 95% interval and the number behind it."""
    rows, columns = hover_heads(cells.row_labels, row_title), hover_heads(cells.column_labels, column_title)
    measure, count = safe(name_of(colour_title)), safe(n_title)
    scores = _lists(cells.values, cells)
    lows, highs, ns = _lists(cells.low, cells), _lists(cells.high, cells), _lists(cells.n, cells)
    undefined = cells.undefined
    texts = []
    for i, row in enumerate(rows):
        line = []
        for j, column in enumerate(columns):
            value = scores[i][j]
            if undefined is not None and undefined[i, j]:
                line.append("")
            elif value != value or value in (float("inf"), float("-inf")):
                why = safe(cells.notes[i][j], None) if cells.notes else ""
                line.append(f"{row}{column}<i>{measure}: {why or 'not computed'}</i>")
            else:
                text = f"{row}{column}{measure}: <b>{number(value, form)}</b>"
                if lows[i][j] == lows[i][j] and highs[i][j] == highs[i][j]:
                    text += f"<br>95% interval: {number(lows[i][j], form)} to {number(highs[i][j], form)}"
                if ns[i][j] == ns[i][j]:
                    text += f"<br>{count}: {ns[i][j]:,.0f}"
                if cells.notes and cells.notes[i][j]:
                    text += f"<br>{safe(cells.notes[i][j], None)}"
                line.append(text)
        texts.append(line)
    return np.array(texts, dtype=object).reshape(cells.values.shape)


def hover_heads(labels: Sequence[str], title: str) -> list[str]:
    """Write what the hover of a cell begins with: of each row, and then of each column, its label."""
    name = f"{safe(name_of(title))}: " if title else ""
    return [f"{name}<b>{safe(label)}</b><br>" for label in labels]


def _lists(array: Floats | None, cells: Grid) -> list[list[float]]:
    """`array` as lists of Python floats, which are quicker to read one by one; all nan where there is none."""
    if array is None:
        return [[float("nan")] * len(cells.column_labels) for _ in cells.row_labels]
    nested: list[list[float]] = array.tolist()
    return nested
