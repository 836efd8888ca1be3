"""The meanings of a corpus' utterances from its own files' columns, or from a second file with a row for each of its rows.

The files are read a second time, for the rows alone whose utterances were kept: so a meaning stays with its utterance whatever
was left out. One row without a meaning, or with other attributes than the first, is an error: nothing is made up.
"""

from __future__ import annotations

import csv
import json
import math
import re
from array import array
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.corpora.emergent import columnar, csv_records, meanings
from isogloss.backend.corpora.emergent.rows import LIST, STRING, UNSTORABLE
from isogloss.backend.corpora.shared.blocks import BrokenRowError
from isogloss.backend.corpora.shared.delimited import parse
from isogloss.backend.corpora.shared.inputs import listed, printable
from isogloss.backend.errors import CorpusError, did_you_mean
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from isogloss.backend.corpora.emergent.layouts import Layout
    from isogloss.backend.corpora.emergent.meanings import Meanings
    from isogloss.backend.corpora.shared.inputs import InputFile

LONGEST = 1_000
"""Characters of one value."""
DELIMITERS = "\t,;|"
NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", re.IGNORECASE)
Attributes = list[tuple[str, str]]
"""Names and values of one meaning; a name is empty where its source has none."""


class Collected:
    """The meanings so far, which all have the attributes of the first."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._known: list[dict[str, int]] = []
        self._codes: list[array[int]] = []

    def add(self, cells: Mapping[str, Any], file: InputFile, line: int) -> None:
        """Add the meaning that the cells of a row make up. Raises `CorpusError`, with the line, where they make up none."""
        try:
            found = list(chain.from_iterable(_attributes(name, cell, alone=len(cells) == 1) for name, cell in cells.items()))
        except BrokenRowError as broken:
            raise CorpusError(
                f"Its meaning cannot be read: {broken}.",
                remedy="Write each meaning as text, a number, a list or an object of such.",
                file=file.name,
                line=line,
            ) from None
        names = [name for name, _ in found]
        if not self._names:
            self._names, self._known, self._codes = names, [{} for _ in names], [array("i") for _ in names]
        if names != self._names or not 0 < len(names) <= meanings.MOST_ATTRIBUTES:
            raise CorpusError(_unlike(names, self._names), remedy=SAME, file=file.name, line=line)
        for (_, value), known, codes in zip(found, self._known, self._codes, strict=True):
            codes.append(known.setdefault(value, len(known)))

    def may_head(self, header: Sequence[str]) -> bool:
        """Return whether a row may be a header: as many names as attributes, none a number or a value of its attribute."""
        names = len(header) == len(self._names) and not any(map(NUMBER.fullmatch, header))
        return names and not any(map(dict.__contains__, self._known, header))

    def done(self, header: Sequence[str] = ()) -> Meanings:
        """Return them all, under the names of a header where there is one."""
        shown = [printable(name) or f"attribute {place}" for place, name in enumerate(header or self._names, start=1)]
        columns = [
            pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(list(known), pa.string())).cast(pa.string())
            for known, codes in zip(self._known, self._codes, strict=True)
        ]
        return meanings.of_columns(tuple(shown), columns)


SAME = "Give every row the same attributes, as a list such as [0, 3] where values hold blanks or separators."


def _unlike(names: Sequence[str], first: Sequence[str]) -> str:
    if not names or len(names) > meanings.MOST_ATTRIBUTES:
        return f"Its meaning has {len(names):,} attributes, not 1 to {meanings.MOST_ATTRIBUTES:,}."
    if len(names) != len(first):
        return f"Its meaning has {len(names):,} attribute{'s' * (len(names) != 1)}, the first one's {len(first):,}."
    return f"Its meaning has the attributes {_quoted(names)}, the first one's {_quoted(first)}."


def _quoted(names: Sequence[str]) -> str:
    return listed([f"'{printable(name)}'" for name in names])


def check_columns(layout: Layout, file: InputFile, columns: Sequence[str]) -> None:
    """Raise `CorpusError` where a file has no such column beside that of its utterances."""
    for name in columns:
        if name not in layout.others:
            raise CorpusError(
                f"There is no {layout.part} '{printable(name)}' beside the utterances.",
                remedy=did_you_mean(name, map(printable, layout.others))
                if layout.others
                else "Give the meanings as a file of their own.",
                file=file.name,
            )


def from_columns(file: InputFile, layout: Layout, columns: Sequence[str], kept: Iterable[int], into: Collected) -> None:
    """Collect the meanings in some columns of a file, of the rows on the lines `kept`, which rise. Raises `CorpusError`."""
    wanted = iter(kept)
    line = next(wanted, None)
    for at, cells in _table(file, layout, columns) if layout.kind == "table" else _objects(file, columns):
        if line is None:
            return
        if at == line:
            into.add(cells() if callable(cells) else cells, file, at)
            line = next(wanted, None)


def _table(file: InputFile, layout: Layout, columns: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the line and the cells of each record below the header, which is the first to name the utterances' column."""
    places: list[int] = []
    for line, cells in csv_records.records(lines_of(file), layout.delimiter):
        if isinstance(cells, BrokenRowError):
            continue
        if places:
            yield line, dict(zip(columns, [cells[place] for place in places if place < len(cells)], strict=False))
        elif layout.field in cells:
            if twice := next((name for name in columns if cells.count(name) > 1), None):
                problem = f"{cells.count(twice)} columns are called '{printable(twice)}'."
                raise CorpusError(problem, remedy="Give each column a name of its own.", file=file.name, line=line)
            places = [cells.index(name) for name in columns]


def _objects(file: InputFile, columns: Sequence[str]) -> Iterator[tuple[int, Any]]:
    return ((line, partial(_picked, row, columns)) for line, row in lines_of(file, columns))


def _picked(row: str | BrokenRowError, columns: Sequence[str]) -> dict[str, Any]:
    try:
        found = row if isinstance(row, BrokenRowError) else parse_json(row)
    except ValueError as error:
        found = BrokenRowError("not JSON", str(error))
    if not isinstance(found, dict):
        return dict.fromkeys(columns)
    return {name: found.get(name) for name in columns}


def lines_of(file: InputFile, columns: Sequence[str] = ()) -> Iterator[tuple[int, str | BrokenRowError]]:
    """Yield the number and text of each line of a file, or of each row of a columnar one, as `columnar.rows_of` has it."""
    for block in columnar.rows_of(file, columns):
        yield from zip(block.lines, block.rows, strict=True)


def _attributes(name: str, cell: Any, *, alone: bool) -> Attributes:
    """Return the attributes in one cell. Text of a column that is `alone` is parted at separators, or at blanks."""
    if isinstance(cell, str) and (text := cell.strip())[:1] in ("[", "{"):
        cell = _bracketed(text)
    match cell:
        case dict():
            return [(str(key), _value(value)) for key, value in sorted(cell.items())]
        case list():
            return [(f"{name} {place}".strip(), _value(value)) for place, value in enumerate(cell, start=1)]
        case str() if alone:
            parts = parted(cell)
            return [
                (f"{name} {place}".strip() if len(parts) > 1 else name, _value(p)) for place, p in enumerate(parts, start=1)
            ]
    return [(name, _value(cell))]


def parted(text: str) -> list[str]:
    """Part a text at the first of `DELIMITERS` that it holds, outside of quotes; at blanks where it holds none."""
    delimiter = next((each for each in DELIMITERS if each in text), None)
    if delimiter is None:
        return text.split()
    try:
        return [cell.strip() for cell in next(parse([text], delimiter))[1]]
    except csv.Error:  # a cell beyond csv's limit, which is refused as a value
        return text.split(delimiter)


def _bracketed(text: str) -> Any:
    """Return a list or object in JSON, or a list as Python and numpy write it."""
    try:
        return parse_json(text)
    except ValueError:
        if LIST.fullmatch(text):
            return [one or other for one, other in STRING.findall(text)]
        if text[0] == "[" and text[-1] == "]" and not re.search(r"[\[\]{}'\"]", text[1:-1]):
            return text[1:-1].replace(",", " ").split()
    raise BrokenRowError("brackets that are no list or object")


def _value(value: Any) -> str:
    """Return one attribute's value as text: equal numbers are equal texts."""
    match value:
        case None:
            raise BrokenRowError("a value is missing")
        case bool():
            return json.dumps(value)
        case float() if not math.isfinite(value):
            raise BrokenRowError("a number that is not finite")
        case int() | float():
            text = str(int(value)) if value == int(value) and abs(value) < 1 << 53 else repr(value)
        case str():
            text = value.strip()
        case _:
            raise BrokenRowError("lists or objects within it")
    if not text or len(text) > LONGEST or UNSTORABLE.search(text):
        raise BrokenRowError("a value is missing" if not text else f"a value is no text of 1 to {LONGEST:,} characters")
    return text
