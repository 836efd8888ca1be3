"""A file of meanings beside the files of utterances: row by row the one says what the other means."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from isogloss.backend.corpora.emergent import columnar, csv_records
from isogloss.backend.corpora.emergent.meaning_rows import Collected, lines_of, parted
from isogloss.backend.corpora.shared.blocks import BrokenRowError
from isogloss.backend.corpora.shared.inputs import listed, printable
from isogloss.backend.errors import CorpusError, did_you_mean
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from isogloss.backend.corpora.emergent.layouts import Layout
    from isogloss.backend.corpora.emergent.meanings import Meanings
    from isogloss.backend.corpora.shared.inputs import InputFile

Line = tuple[int, "str | BrokenRowError"]


class Parts(NamedTuple):
    """One file of utterances: how it is read, and the lines whose utterances are kept, which rise."""

    file: InputFile
    layout: Layout
    kept: list[Sequence[int]]


def read(parts: Sequence[Parts], file: InputFile, columns: Sequence[str]) -> tuple[Meanings, list[tuple[InputFile, int]]]:
    """Return the meanings of the kept utterances, and the file and line of each blank row that has a meaning, too.

    `columns` choose among those of the file, if it has any. Of plain text, a row more than there are utterances is its header.
    Raises `CorpusError` where the numbers of rows differ, with both, and as `meaning_rows.Collected.add`.
    """
    held = columnar.container_of(file)
    known = columnar.names_of(file) if held else []
    _check(file, columns, known) if held else None
    every = tuple(columns or known)
    first = next((row for _, row in lines_of(file, every) if isinstance(row, str) and row.strip()), "")
    in_json = bool(held) or first.lstrip()[:1] in ("[", "{", '"')
    lines = [line for line, _ in _counted(lines_of(file, every), blank_ones=not in_json, to_end=False)]
    rows, to_end, headed = _pairing(parts, file, len(lines), must=bool(columns) and not in_json, may=not in_json)
    header = parted(first) if headed else []
    _check(file, columns, header) if headed else None
    cells = _cells(file, every, header, set(lines[headed:]))
    found, blank = Collected(), []
    for part, line, is_kept, is_blank in _with_kept(parts, to_end=to_end):
        at, of_row = next(cells)
        if is_kept:
            found.add(of_row(), file, at)
        elif is_blank and any(of_row().values()):
            blank.append((part.file, line))
    if headed and not columns and not found.may_head(header):
        raise _unequal(parts, file, len(lines), rows)
    return found.done(() if columns else header), blank


def _pairing(parts: Sequence[Parts], file: InputFile, lines: int, *, must: bool, may: bool) -> tuple[int, bool, bool]:
    """Return how many rows of utterances there are, whether blank ones at the end are among them, and if there is a header.

    A file `must` have a header, or `may`. Raises `CorpusError` where the numbers of rows differ.
    """
    rows, whole = (sum(1 for part in parts for _ in _utterances(part, to_end=to_end)) for to_end in (False, True))
    for number, to_end, headed in ((rows, False, False), (whole, True, False), (rows, False, True), (whole, True, True)):
        if lines - headed == number and (headed or not must) and (may or not headed):
            return number, to_end, headed
    raise _unequal(parts, file, lines - must, rows)


def _unequal(parts: Sequence[Parts], file: InputFile, lines: int, rows: int) -> CorpusError:
    names = listed([printable(part.file.name) for part in parts], 3)
    return CorpusError(
        f"It has {lines:,} row{'s' * (lines != 1)} of meanings, {names} {rows:,} row{'s' * (rows != 1)} of utterances.",
        remedy="Give a meaning for every row, also for those whose utterance is empty.",
        file=file.name,
    )


def _with_kept(parts: Sequence[Parts], *, to_end: bool) -> Iterator[tuple[Parts, int, bool, bool]]:
    """Yield every row of utterances: its file, its line, whether its utterance is kept, and whether it is blank."""
    for part in parts:
        kept = chain.from_iterable(part.kept)
        wanted = next(kept, None)
        for line, blank in _utterances(part, to_end=to_end):
            yield part, line, line == wanted, blank
            if line == wanted:
                wanted = next(kept, None)


def _utterances(part: Parts, *, to_end: bool) -> Iterator[tuple[int, bool]]:
    """Yield the line of every row that may have a meaning, and whether it is blank: those below a header, broken ones, too.

    Blank rows count among plain ones; those at the end only with `to_end`.
    """
    if part.layout.kind == "table":
        below = csv_records.records(lines_of(part.file), part.layout.delimiter)
        next((None for _, cells in below if isinstance(cells, list) and part.layout.field in cells), None)
        return ((line, False) for line, cells in below if cells)
    return _counted(lines_of(part.file), blank_ones=part.layout.kind == "lines", to_end=to_end)


def _counted(rows: Iterable[Line], *, blank_ones: bool, to_end: bool) -> Iterator[tuple[int, bool]]:
    waiting: list[int] = []
    for line, row in rows:
        if isinstance(row, str) and not row.strip():
            waiting += [line] if blank_ones else []
            continue
        yield from ((each, True) for each in waiting)
        waiting.clear()
        yield line, False
    yield from ((each, True) for each in waiting if to_end)


def _check(file: InputFile, columns: Sequence[str], known: Sequence[str]) -> None:
    for name in columns:
        if name not in known:
            remedy = did_you_mean(name, map(printable, known))
            raise CorpusError(f"There is no column '{printable(name)}'.", remedy=remedy, file=file.name, line=1)


def _cells(file: InputFile, columns: Sequence[str], header: Sequence[str], lines: set[int]) -> Iterator[tuple[int, Any]]:
    for line, row in lines_of(file, columns):
        if line in lines:
            yield line, partial(_cells_of, row, columns, header)


def _cells_of(row: str | BrokenRowError, columns: Sequence[str], header: Sequence[str]) -> dict[str, Any]:
    """Return the cells of one row by their columns; a row without columns is one cell."""
    if isinstance(row, BrokenRowError) or not row.strip():
        return {"": None}
    try:
        value = parse_json(row) if row.lstrip()[:1] in ("[", "{", '"') and not header else row
    except ValueError:
        value = row  # as Python and numpy write lists
    if columns and header:
        parts = parted(row)
        return {name: parts[header.index(name)] if header.index(name) < len(parts) else None for name in columns}
    if columns:
        return {name: value.get(name) for name in columns} if isinstance(value, dict) else dict.fromkeys(columns)
    return {"": value}
