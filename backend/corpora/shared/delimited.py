r"""Delimited text (CSV, TSV, columns between spaces), row by row: one way to read it for all kinds of data.

Rows end at `\n` alone, where `textlines.each_line` ends lines; quotes are read in one of three ways (`Quotes`).
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Literal

from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile

Row = tuple[int, list[str]]
"""The line a row starts on and its cells."""
Quotes = Literal["csv", "cells", "text"]
"""What a quote is: CSV's, within which separators and line ends are text; around a whole cell, where a writer put it without
need; or a character like others, as research data have it."""


def read_rows(
    file: InputFile, lines: Iterable[str], delimiter: str, quotes: Quotes = "csv", *, skip_spaces: bool = False
) -> Iterator[Row]:
    """Yield the rows in the lines of `file`.

    A `delimiter` of one space is any white space. With CSV's quotes, `skip_spaces` leaves out those after a delimiter.

    Raises `CorpusError` with the line on which a broken row starts.
    """
    match quotes:
        case "csv":
            yield from _quoted_rows(file, lines, delimiter, skip_spaces=skip_spaces)
        case "cells":
            yield from ((line, [unquoted(c.strip()) or c for c in row]) for line, row in _plain_rows(lines, delimiter))
        case "text":
            yield from _plain_rows(lines, delimiter)


def _plain_rows(lines: Iterable[str], delimiter: str) -> Iterator[Row]:
    return ((number, line.split(None if delimiter == " " else delimiter)) for number, line in enumerate(lines, start=1))


def _quoted_rows(file: InputFile, lines: Iterable[str], delimiter: str, *, skip_spaces: bool) -> Iterator[Row]:
    start = 1
    try:
        for last, row in parse(lines, delimiter, skip_spaces=skip_spaces):
            yield start, row
            start = last + 1
    except csv.Error as error:
        if "field limit" in str(error):
            raise CorpusError(
                f"A field is longer than {csv.field_size_limit():,} characters, or a quote before it was never closed.",
                remedy="Write one text a field, and close every quote.",
                file=file.name,
                line=start,
            ) from None
        raise CorpusError(
            f"The row cannot be parsed ({error}).",
            remedy='Close every quote, and write a quote inside a quoted field twice ("").',
            file=file.name,
            line=start,
        ) from None


def parse(lines: Iterable[str], delimiter: str, *, skip_spaces: bool = False) -> Iterator[Row]:
    """Parse CSV, each row with the line it ends on. Raises `csv.Error`, as for a quote that is never closed."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True, skipinitialspace=skip_spaces)
    return ((reader.line_num, row) for row in reader)


def uneven(file: InputFile, row: Row, instead: str, remedy: str) -> CorpusError:
    """Return what is wrong with a row that has another number of cells than others; `instead` says which, as `not 2`."""
    line, cells = row
    fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
    return CorpusError(f"The row has {fields}, {instead}.", remedy=remedy, file=file.name, line=line)


def unquoted(field: str) -> str | None:
    """Return what stands between the quotes of a field that a CSV writer quoted; None for any other field."""
    inner = field[1:-1]
    if len(field) < 2 or not field[0] == field[-1] == '"' or '"' in inner.replace('""', ""):
        return None
    return inner.replace('""', '"')


def likeliest(text: str, delimiters: Sequence[str]) -> str:
    """Guess the delimiter: the one that is most frequent in `text`, the first of equals."""
    return max(delimiters, key=text.count)
