"""How the rows of an emergent-language file hold utterances: decided by a look at the first of them, never by its name."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.corpora.emergent import csv_records
from isogloss.backend.corpora.emergent.columnar import container_of, names_of, rows_of
from isogloss.backend.corpora.shared.blocks import BrokenRowError, is_gzip
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.corpora.shared.textlines import UTF8
from isogloss.backend.errors import CorpusError, did_you_mean
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.emergent.corpus import Symbols
    from isogloss.backend.corpora.shared.inputs import InputFile

INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
Kind = Literal["arrays", "strings", "objects", "table", "lines"]
"""JSON Lines of arrays, of strings, of objects; a table with a header; plain rows."""
KINDS: dict[Kind, str] = {
    "arrays": "JSON Lines of arrays",
    "strings": "JSON Lines of strings",
    "objects": "JSON Lines of objects",
    "table": "CSV",
    "lines": "One utterance a line",
}
SAMPLE = 1000
"""Rows that are looked at."""
MESSAGE = re.compile(r"(^|.*[_ ])(messages?|msgs?|utterances?|tokens?|symbols?|ids|sequences?|text|sentences?)$", re.IGNORECASE)
"""Usual names of the field or column that holds utterances."""


@dataclass(frozen=True)
class Options:
    """What the user says about the files; None is found out."""

    kind: Kind | None = None
    field: str | None = None
    symbols: Symbols | None = None
    renumber: bool = False
    """Take integers below 0 too, and number those that occur from 0 on, in their order."""
    meaning: tuple[str, ...] = ()
    """The fields or columns that are the meaning of an utterance, together; of the file of meanings, where there is one."""


@dataclass(frozen=True)
class Layout:
    """How each row of a file is read."""

    kind: Kind
    symbols: Symbols
    field: str | None = None
    """Of objects and tables; None where it must be chosen from `fields`."""
    fields: tuple[str, ...] = ()
    delimiter: str = ""
    """Of a table."""
    zipped: bool = False
    container: str = ""
    """`Parquet` or `Arrow`, whose rows are read as objects; nothing for text."""
    doubt: str = ""
    """A sentence where the rows may be something else than what they are read as."""
    renumber: bool = False
    """Whether integers may be negative."""
    others: tuple[str, ...] = ()
    """The fields or columns beside `field`, those that can hold no utterances among them."""

    @property
    def part(self) -> str:
        """What a row consists of: fields or columns."""
        return "column" if self.kind == "table" or self.container else "field"

    @property
    def format(self) -> str:
        """The format as its users know it: `JSON Lines of integer arrays`."""
        field = printable(self.field or "")
        match self.kind:
            case "objects" if self.container:
                name = f"{self.container}, column '{field}'"
            case "arrays":
                name = f"JSON Lines of {'integer' if self.symbols == 'integers' else 'string'} arrays"
            case "lines":
                name = f"{self.symbols.capitalize()}, one utterance a line"
            case "objects":
                name = f"JSON Lines of objects, field '{field}'"
            case "table":
                name = f"{'TSV' if self.delimiter == chr(9) else 'CSV'}, column '{field}'"
            case "strings":
                name = "JSON Lines of strings"
        return f"{name}, gzip" if self.zipped else name


def look(file: InputFile, options: Options | None = None) -> Layout:
    """Return what a file is, by its first rows.

    Raises `CorpusError` for a file that is empty or no text, whose lines end in CR alone, that is one JSON value over several
    lines, and where it lacks the field that was asked for.
    """
    options = options or Options()
    rows, container = _sample(file), container_of(file)
    kind = "objects" if container else options.kind or _kind(rows, options)
    delimiter = ""
    fields: tuple[str, ...] = ()
    match kind:
        case "table":
            delimiter, cells = csv_records.look(rows)
            fields = tuple(dict.fromkeys(cells[0])) if cells else ()
            whole = [dict(zip(cells[0], row, strict=True)) for row in cells[1:] if len(row) == len(cells[0])]
            field = _field(file, fields, whole, options)
            if field is not None and cells[0].count(field) > 1:
                raise CorpusError(
                    f"{cells[0].count(field)} columns are called '{printable(field)}'.",
                    remedy="Give each column a name of its own.",
                    file=file.name,
                    line=1,
                )
            values = [row[field] for row in whole] if field is not None else []
        case "objects":
            objects = [value for row in rows if isinstance(value := _json(row), dict)]
            fields = tuple(dict.fromkeys(name for each in objects for name in each))
            field = _field(file, fields, objects, options)
            values = [each[field] for each in objects if field in each]
        case "lines":
            field, values = None, list(rows)
        case _:
            field, values = None, [_json(row) for row in rows]
    symbols = _symbols(values, kind, options)
    doubt = _doubt(rows) if kind == "lines" and symbols == "words" and options.kind is None else ""
    others = [name for name in (names_of(file) if container else fields) if name != field]
    return Layout(kind, symbols, field, fields, delimiter, is_gzip(file), container, doubt, options.renumber, tuple(others))


def _doubt(rows: Sequence[str]) -> str:
    """Return whether rows of words may be a table of which no column is called as a message is."""
    for delimiter, name in ((",", "comma"), (";", "semicolon"), ("|", "bar")):
        counts = {row.count(delimiter) for row in rows}
        if len(rows) > 1 and len(counts) == 1 and 0 not in counts:
            number = counts.pop()
            said = f"a {name}" if number == 1 else f"{number:,} {name}s"
            return f"Each row has {said}: if this is a table, choose CSV as its format, and its column."
    return ""


def _sample(file: InputFile) -> list[str]:
    """Return the first rows that are text and not blank."""
    first: BrokenRowError | None = None
    line, broken, blank = 1, 0, 0
    for block in rows_of(file):
        rows = [row for row in block.rows if isinstance(row, str) and row.strip()][:SAMPLE]
        if rows:
            _check_shape(file, rows)
            return rows
        bad = [(n, row) for n, row in zip(block.lines, block.rows, strict=True) if isinstance(row, BrokenRowError)]
        broken, blank = broken + len(bad), blank + len(block.rows) - len(bad)
        if first is None and bad:
            line, first = bad[0]
    if first is None:
        problem = f"The file is empty but for {blank:,} blank line{'s' * (blank > 1)}." if blank else "The file is empty."
        raise CorpusError(problem, remedy="Leave it out, or drop the right file.", file=file.name)
    raise CorpusError(
        f"{none_of(broken)} {first}.",
        remedy=UTF8 if first.reason == "not UTF-8" else "Check that each utterance is a row of text.",
        file=file.name,
        line=line,
    )


def none_of(rows: int) -> str:
    """`None of the 3 rows can be read; this one is`: what follows is wrong with the first."""
    return f"None of the {rows:,} rows can be read; this one is" if rows > 1 else "The only row cannot be read; it is"


def _check_shape(file: InputFile, rows: Sequence[str]) -> None:
    """Raise `CorpusError` for old Mac line ends and for JSON that is one value."""
    if len(rows) == 1 and "\r" in rows[0].strip():
        raise CorpusError(
            "Its lines end in CR alone (old Mac OS).", remedy="Save it with LF or CRLF line ends.", file=file.name, line=1
        )
    head = rows[0].strip()
    whole = (
        len(rows) == 1 and isinstance(value := _json(head), list) and value and all(isinstance(v, list | dict) for v in value)
    )
    if whole or (head[:1] in ("[", "{") and len(rows) > 1 and head in ("[", "{", "[[", "[{")):
        raise CorpusError(
            "The file is one JSON value, not JSON Lines.",
            remedy='Write one utterance a line, such as [3, 1, 4]; with jq: jq -c ".[]".',
            file=file.name,
            line=1,
        )


def _kind(rows: Sequence[str], options: Options) -> Kind:
    kinds: Counter[Kind] = Counter()
    for row in rows:
        match _json(row):
            case list():
                kinds["arrays"] += 1
            case str():
                kinds["strings"] += 1
            case dict():
                kinds["objects"] += 1
    # BrokenRowError rows are no reason to take JSON for words: what looks like it is counted too.
    looks = sum(row.lstrip()[:1] in ("[", "{", '"') for row in rows)
    quoted = _json(rows[0])  # the header of a table of one column, every cell of which is quoted
    if kinds and looks * 2 > len(rows) and not (isinstance(quoted, str) and len(rows) > 1 and MESSAGE.fullmatch(quoted)):
        return kinds.most_common(1)[0][0]
    return "table" if _is_table(rows, options) else "lines"


def _is_table(rows: Sequence[str], options: Options) -> bool:
    """Return a header that names a column of messages, or that has names above columns of integers."""
    _, cells = csv_records.look(rows)
    if not cells or any(map(is_integer_text, cells[0])):
        return False
    header, body = cells[0], cells[1:]
    same = [row for row in body if len(row) == len(header)]
    named = options.field in header or any(MESSAGE.fullmatch(name.strip()) for name in header)
    if named and len(header) > 1 and all(len(name.split()) == 1 for name in header):
        # No prose looks like this: it is a header also above broken rows, or none. What it names twice is refused later.
        return len(same) * 4 > len(body) or not body
    if len(same) * 2 <= len(body) or len(set(header)) < len(header):
        return False
    if len(header) == 1:
        return bool(body) and named
    return named or any(all(INTEGER.fullmatch(row[i].strip()) for row in same) for i in range(len(header)))


def _field(file: InputFile, fields: tuple[str, ...], rows: Sequence[dict[str, Any]], options: Options) -> str | None:
    """Return the field that was asked for, else one with a usual name, else the only one that can be, else None."""
    if options.field is not None:
        if options.field not in fields:
            raise CorpusError(
                f"There is no field '{printable(options.field)}'.",
                remedy=did_you_mean(options.field, map(printable, fields)),
                file=file.name,
                line=1,
            )
        return options.field
    able = [name for name in fields if not rows or any(isinstance(row.get(name), str | list) for row in rows)]
    named = [name for name in able if MESSAGE.fullmatch(name.strip())]
    arrays = [name for name in able if any(isinstance(row.get(name), list) for row in rows)]
    for names in (named, arrays, able):
        if len(names) == 1:
            return names[0]
    return None


def _symbols(values: Sequence[Any], kind: Kind, options: Options) -> Symbols:
    """Return what most of the values hold. An array of numbers is integers whatever was asked for."""
    arrays = [value for value in values if isinstance(value, list) and value]
    texts = [value for value in values if isinstance(value, str)]
    if kind == "arrays" or len(arrays) > len(texts):
        strings = sum(isinstance(value[0], str) for value in arrays)
        return "words" if strings * 2 > len(arrays) else "integers"
    if options.symbols is not None:
        return options.symbols
    return "integers" if sum(map(is_integer_text, texts)) * 2 > len(texts) else "words"


def _json(row: str) -> Any:
    """Return the value of a row, or None where it is not JSON."""
    if row.lstrip()[:1] not in ("[", "{", '"'):
        return None
    try:
        return parse_json(row)
    except ValueError:
        return None


def is_integer_text(text: str) -> bool:
    """Return whether a text is integers alone: separated by white space, commas or semicolons, in brackets or not."""
    words = words_of_integers(text)
    return bool(words) and all(map(INTEGER.fullmatch, words))


def words_of_integers(text: str) -> list[str]:
    """Return what stands between the separators, whether it is an integer or not."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":  # as pandas writes lists, and arrays of numpy, into CSV
        text = text[1:-1]
    return text.replace(",", " ").replace(";", " ").split()
