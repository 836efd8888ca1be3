"""Tables from files: CSV, TSV, JSON Lines and Parquet as named columns, each row with its line."""

from __future__ import annotations

import re
from array import array
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.shared import parquet_columns
from isogloss.backend.corpora.shared.cells import CHARACTERS, TOGETHER, Builder
from isogloss.backend.corpora.shared.delimited import likeliest, read_rows, uneven, unquoted
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.corpora.shared.parquet_columns import check_names
from isogloss.backend.corpora.shared.textlines import each_line
from isogloss.backend.errors import CorpusError
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.corpora.parallel.assemble import Skips
    from isogloss.backend.corpora.shared.delimited import Row

SUFFIX = re.compile(r"\.(csv|tsv|tab|jsonl|ndjson|parquet)$", re.IGNORECASE)


@dataclass(frozen=True)
class Table:
    """Rows of one file (or one Hub configuration) by column; all columns have the length of `lines`."""

    file: str
    columns: dict[str, Sequence[Any]]
    lines: Sequence[int]
    """The line that each row starts on; the row's number where there are no lines."""

    def find(self, names: Sequence[str]) -> str | None:
        """Return the column that is called one of `names`, whatever its case; the first of them that is there."""
        lower = {column.lower(): column for column in self.columns}
        return next((lower[name] for name in names if name in lower), None)


def read_table(file: InputFile, skips: Skips) -> Table:
    """Return the table in a file, by its suffix. Blank rows go to `skips`.

    Raises `CorpusError` for what cannot be parsed, with the line: uneven rows, unclosed quotes, JSON that is no object, damage.
    """
    suffix = SUFFIX.search(file.base)
    match suffix[1].lower() if suffix else "":
        case "parquet":
            columns, count = parquet_columns.read(file)
            _check_rows(file, count)
            return Table(file.name, dict(columns), range(1, count + 1))
        case "jsonl" | "ndjson":
            return _jsonl(file, skips)
        case "csv":
            return _csv(file, skips)
        case _:
            return _tsv(file, skips)


def _csv(file: InputFile, skips: Skips) -> Table:
    header = next(each_line(file), "")
    delimiter = likeliest(header, ",;\t")  # spreadsheets write ';' where ',' is the decimal sign
    return _rows(file, read_rows(file, each_line(file), delimiter), skips)


class _QuotedError(Exception):
    """A literal reading of tabs that makes no sense."""


def _tsv(file: InputFile, skips: Skips) -> Table:
    """Research data writes tabs without quoting, spreadsheets and pandas with: quoted where that alone makes sense."""
    blank = deepcopy(skips)
    try:
        return _rows(file, _literal(file, suspicious=True), skips)
    except _QuotedError:
        pass
    for rows in (read_rows(file, each_line(file), "\t"), _literal(file)):  # the second's error names an uneven line
        vars(skips).update(vars(deepcopy(blank)))
        try:
            return _rows(file, rows, skips)
        except CorpusError as error:
            found = error
    raise found


def _literal(file: InputFile, *, suspicious: bool = False) -> Iterator[Row]:
    """Yield rows of fields between tabs; where they are `suspicious`, `_QuotedError` at what may be quoted."""
    width = 0
    for number, row in read_rows(file, each_line(file), "\t", "text"):
        width = width or len(row)
        if suspicious and (
            (len(row) != width and row != [""])
            or any('""' in field and '"' in (unquoted(field) or "") for field in row)  # no literal TSV has such a field
        ):
            raise _QuotedError
        yield number, row


def _rows(file: InputFile, rows: Iterator[Row], skips: Skips) -> Table:
    header = [printable(name.strip()) for name in next(rows, (1, []))[1]]
    check_names(file, header)
    builders, lines = [Builder() for _ in header], array("q")
    some: list[list[str]] = []
    characters = 0
    for number, row in rows:
        if row in ([], [""]) and len(header) > 1:
            skips.add(file.name, [number], "blank row", lost=False)
            continue
        if len(row) != len(header):
            remedy = "Quote text that contains the separator, or leave a field empty where something is missing."
            raise uneven(file, (number, row), f"but the header {len(header)}", remedy)
        lines.append(number)
        some.append(row)
        characters += sum(map(len, row))
        if len(some) >= TOGETHER or characters >= CHARACTERS:
            _extend(builders, some)
            some, characters = [], 0
    _extend(builders, some)
    _check_rows(file, len(lines))
    return Table(file.name, {name: each.done() for name, each in zip(header, builders, strict=True)}, lines)


def _extend(builders: Sequence[Builder], rows: Sequence[Sequence[str]]) -> None:
    for builder, values in zip(builders, zip(*rows, strict=True), strict=False):  # without rows there are no values
        builder.extend(values)


def _jsonl(file: InputFile, skips: Skips) -> Table:
    builders: dict[str, Builder] = {}
    lines = array("q")
    for number, line in enumerate(each_line(file), start=1):
        if not line.strip():
            skips.add(file.name, [number], "blank row", lost=False)
            continue
        try:
            row = parse_json(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise CorpusError(
                "The line is not a JSON object.",
                remedy='Write one object a line, such as {"id": "1", "de": "…", "fi": "…"}.',
                file=file.name,
                line=number,
            )
        for name, value in row.items():
            if name not in builders:
                builders[name] = Builder()
                check_names(file, list(builders))
            builders[name].pad(len(lines))
            builders[name].append(value)
        lines.append(number)
    check_names(file, [printable(name) for name in builders])
    _check_rows(file, len(lines))
    for builder in builders.values():
        builder.pad(len(lines))
    return Table(file.name, {printable(name): each.done() for name, each in builders.items()}, lines)


def _check_rows(file: InputFile, count: int) -> None:
    if not count:
        raise CorpusError("There are no rows.", remedy="Drop a table with one sentence a row below a header.", file=file.name)
