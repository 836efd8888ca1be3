"""CSV text, row by row: the settings and the error messages are the same wherever a table is read."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from backend.corpora.shared.inputs import InputFile

Row = tuple[int, list[str]]
"""The line a row starts on and its cells."""


def read_rows(file: InputFile, lines: Iterable[str], delimiter: str, *, skip_spaces: bool = False) -> Iterator[Row]:
    """Parse the lines of `file`; `skip_spaces` drops those after a delimiter.

    Raises `CorpusError` with the line on which a broken row starts.
    """
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
    """Parse lines, each row with the line it ends on. Raises `csv.Error`, as for a quote that is never closed."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True, skipinitialspace=skip_spaces)
    return ((reader.line_num, row) for row in reader)


def unquoted(field: str) -> str | None:
    """Return what stands between the quotes of a field that a CSV writer quoted; None for any other field."""
    inner = field[1:-1]
    if len(field) < 2 or not field[0] == field[-1] == '"' or '"' in inner.replace('""', ""):
        return None
    return inner.replace('""', '"')


def likeliest(text: str, delimiters: str) -> str:
    """Guess the delimiter: the one that is most frequent in `text`, the first of equals."""
    return max(delimiters, key=text.count)
