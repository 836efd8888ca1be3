"""The records of a CSV or TSV file, row by row: one broken record costs itself, not what follows it."""

from __future__ import annotations

import csv
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared.blocks import BLANK, Block, BrokenRowError
from isogloss.backend.corpora.shared.delimited import likeliest, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DELIMITERS = ",;\t|"
LONGEST = 100
"""Rows that one record may span, by quotes that stay open over line ends."""
BATCH = 1 << 15


def look(rows: Sequence[str]) -> tuple[str, list[list[str]]]:
    """Return the delimiter of a table, counted in its first row outside of quotes, and the cells of the rows that are whole."""
    header = "".join(rows[0].split('"')[::2]) if rows else ""
    delimiter = likeliest(header, DELIMITERS)
    return delimiter, [row for _, row in records(enumerate(rows), delimiter) if not isinstance(row, BrokenRowError)]


def records(
    rows: Iterable[tuple[int, str | BrokenRowError]], delimiter: str
) -> Iterator[tuple[int, list[str] | BrokenRowError]]:
    """Yield the cells of each record, with the line it starts on. Blank rows are records of no cells."""
    source = iter(rows)
    again: deque[tuple[int, str | BrokenRowError]] = deque()  # rows after an unclosed quote, which are read again
    while (one := again.popleft() if again else next(source, None)) is not None:
        line, row = one
        if isinstance(row, BrokenRowError):
            yield line, row
        elif '"' not in row:
            yield line, row.split(delimiter) if row.strip() else []
        elif row.count('"') % 2 == 0:
            yield line, _cells(row, delimiter)
        else:
            spanned = _spanned(row, source, again)
            yield line, BrokenRowError("a quote that is never closed") if spanned is None else _cells(spanned, delimiter)


def _spanned(
    row: str, source: Iterator[tuple[int, str | BrokenRowError]], again: deque[tuple[int, str | BrokenRowError]]
) -> str | None:
    """Return the record that begins with `row`, or None where no later row closes its quote; those rows are then in `again`."""
    taken: list[tuple[int, str | BrokenRowError]] = []
    text = row
    while len(taken) < LONGEST and (one := again.popleft() if again else next(source, None)) is not None:
        taken.append(one)
        if isinstance(one[1], BrokenRowError):
            break
        text = f"{text}\n{one[1]}"
        if one[1].count('"') % 2:
            return text
    again.extendleft(reversed(taken))
    return None


def _cells(text: str, delimiter: str) -> list[str] | BrokenRowError:
    try:
        return next(parse([text], delimiter))[1]
    except csv.Error as error:
        return BrokenRowError("not a row of a table", str(error))


def column(blocks: Iterable[Block], delimiter: str, field: str) -> Iterator[Block]:
    """One column of a table as rows of their own; the header is the first record that names it."""
    read = 0

    def rows() -> Iterator[tuple[int, str | BrokenRowError]]:
        nonlocal read
        for block in blocks:
            read = block.read
            yield from zip(block.lines, block.rows, strict=True)

    rows_of_file = records(rows(), delimiter)
    names: list[str] = []
    while field not in names and (one := next(rows_of_file, None)):
        line, header = one
        if isinstance(header, BrokenRowError) or (header and field not in header):
            yield Block([line], [header if isinstance(header, BrokenRowError) else BrokenRowError("above the header")], read)
        else:
            names = header
    place = names.index(field) if names else 0
    while batch := list(islice(rows_of_file, BATCH)):
        yield Block([line for line, _ in batch], [_cell(cells, place, len(names)) for _, cells in batch], read)


def _cell(cells: list[str] | BrokenRowError, place: int, width: int) -> str | BrokenRowError:
    if isinstance(cells, BrokenRowError):
        return cells
    if not cells:
        return BrokenRowError(BLANK)
    if len(cells) != width:
        return BrokenRowError("another number of cells than the header", f"{len(cells)}, not {width}")
    return cells[place]
