"""Tables from files: CSV, TSV, JSON Lines and Parquet as named columns, each row with its line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from backend.corpora.shared.csv_rows import likeliest, read_rows
from backend.corpora.shared.inputs import MAX_BYTES, InputFile, printable
from backend.corpora.shared.textlines import read_lines, read_text
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from backend.corpora.parallel.assemble import Skips
    from backend.corpora.shared.csv_rows import Row

SUFFIX = re.compile(r"\.(csv|tsv|tab|jsonl|ndjson|parquet)$", re.IGNORECASE)
MAX_ROWS = 50_000_000
MAX_COLUMNS = 2_000
QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')
"""A field that a CSV writer quoted because of a quote in it; in a literal TSV such a field is next to impossible."""


@dataclass(frozen=True)
class Table:
    """Rows of one file (or one Hub configuration) by column; all columns have the length of `lines`."""

    file: str
    columns: dict[str, list[Any]]
    lines: Sequence[int]
    """The line that each row starts on; the row's number where there are no lines."""


def read_table(file: InputFile, skips: Skips) -> Table:
    """Return the table in a file, by its suffix. Blank rows go to `skips`.

    Raises `CorpusError` for what cannot be parsed, with the line: uneven rows, unclosed quotes, JSON that is no object, damage.
    """
    suffix = SUFFIX.search(file.base)
    match suffix[1].lower() if suffix else "":
        case "parquet":
            return _parquet(file)
        case "jsonl" | "ndjson":
            return _jsonl(file, skips)
        case "csv":
            return _csv(file, skips)
        case _:
            return _tsv(file, skips)


def _csv(file: InputFile, skips: Skips) -> Table:
    text = read_text(file)
    header = text.split("\n", 1)[0]
    delimiter = likeliest(header, ",;\t")  # spreadsheets write ';' where ',' is the decimal sign
    return _rows(file, list(read_rows(file, _lines(text), delimiter)), skips)


def _tsv(file: InputFile, skips: Skips) -> Table:
    """Research data writes tabs without quoting, spreadsheets and pandas with: quoted where that alone makes sense."""
    text = read_text(file)
    rows = [line.removesuffix("\r").split("\t") for line in _lines(text)]
    even = all(len(row) == len(rows[0]) or row == [""] for row in rows)
    if not even or ('""' in text and any(QUOTED.fullmatch(f) for row in rows for f in row if f[:1] == '"')):
        try:
            return _rows(file, list(read_rows(file, _lines(text), "\t")), skips)
        except CorpusError:
            if not even:
                return _rows(file, list(enumerate(rows, start=1)), skips)  # its error names the uneven line
    return _rows(file, list(enumerate(rows, start=1)), skips)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _rows(file: InputFile, rows: list[Row], skips: Skips) -> Table:
    header = [printable(name.strip()) for name in rows[0][1]] if rows else []
    _check_header(file, header)
    skips.add(file.name, (n for n, row in rows[1:] if row in ([], [""]) and len(header) > 1), "blank row", lost=False)
    body = [(n, row) for n, row in rows[1:] if row not in ([], [""]) or len(header) == 1]
    for number, row in body:
        if len(row) != len(header):
            raise CorpusError(
                f"The row has {len(row)} fields, but the header {len(header)}.",
                remedy="Quote text that contains the separator, or leave a field empty where something is missing.",
                file=file.name,
                line=number,
            )
    _check_rows(file, len(body))
    values = zip(*(row for _, row in body), strict=True)
    return Table(file.name, {name: list(v) for name, v in zip(header, values, strict=True)}, [n for n, _ in body])


def _jsonl(file: InputFile, skips: Skips) -> Table:
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(read_lines(file), start=1):
        if not line.strip():
            skips.add(file.name, [number], "blank row", lost=False)
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise CorpusError(
                "The line is not a JSON object.",
                remedy='Write one object a line, such as {"id": "1", "de": "…", "fi": "…"}.',
                file=file.name,
                line=number,
            )
        rows.append((number, row))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    _check_header(file, names)
    _check_rows(file, len(rows))
    return Table(file.name, {printable(n): [row.get(n) for _, row in rows] for n in names}, [number for number, _ in rows])


def _parquet(file: InputFile) -> Table:
    try:
        with pq.ParquetFile(file.path) as source:
            names = list(source.schema_arrow.names)
            _check_header(file, names)
            _check_rows(file, source.metadata.num_rows)
            columns: dict[str, list[Any]] = {name: [] for name in names}
            size = 0
            # Small batches: a dictionary can make a tiny file decode to any size.
            for batch in source.iter_batches(batch_size=4096):
                size += batch.nbytes
                if size > MAX_BYTES:
                    raise CorpusError(
                        f"The table expands to more than {MAX_BYTES >> 30} GiB.", remedy="Drop a part of it.", file=file.name
                    )
                for name, array in zip(names, batch.columns, strict=True):
                    columns[name] += array.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise CorpusError(
            "The file is damaged, or not Parquet.", remedy="Write it again with pyarrow or pandas.", file=file.name
        ) from error
    count = len(next(iter(columns.values()), []))
    return Table(file.name, {printable(n): v for n, v in columns.items()}, range(1, count + 1))


def _check_header(file: InputFile, header: Sequence[str]) -> None:
    twice = _first(header, lambda name: header.count(name) > 1)
    if twice is not None:
        raise CorpusError(
            f"Two columns are called '{printable(twice)}'.", remedy="Give each column its own name.", file=file.name, line=1
        )
    if len(header) > MAX_COLUMNS:
        raise CorpusError(
            f"There are {len(header):,} columns.", remedy="Drop a table with a column per language.", file=file.name, line=1
        )


def _check_rows(file: InputFile, count: int) -> None:
    if not 0 < count <= MAX_ROWS:
        problem = "There are no rows." if not count else f"There are {count:,} rows, more than {MAX_ROWS:,}."
        raise CorpusError(problem, remedy="Drop a table with one sentence a row below a header.", file=file.name)


def _first(values: Iterable[str], test: Callable[[str], bool]) -> str | None:
    return next((v for v in values if test(v)), None)
