"""Numbers of languages to set against scores: a CSV with a column of languages, or results files of other tools."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.corpora.covariates import outcomes
from isogloss.backend.corpora.covariates.plain import not_utf8
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.shared.delimited import likeliest, read_rows, uneven
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.corpora.shared.loss import Tally
from isogloss.backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.covariates.outcome import Cell, Outcome
    from isogloss.backend.corpora.shared.loss import Loss

LANGUAGE = ("language", "lang", "code", "tag", "iso")
"""Names of the column of languages; where there is none of them, it is the first."""
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–"})
MAX_COLUMNS = 200
RESULTS = re.compile(r"\.(jsonl?|ya?ml|zip|tar|tgz|tar\.gz)(\.gz)?$", re.IGNORECASE)
"""Files that are no table."""


@dataclass(frozen=True)
class Covariates:
    """Columns of numbers, a number a language."""

    columns: Mapping[str, Mapping[str, float]]
    """Column → language (BCP-47) → number; a language without one is not there."""
    warnings: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What its file lost, where it was read just now: rows of unknown languages, columns with a text among their numbers."""
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    """What columns are of that are outcomes of a model."""
    cells: Mapping[str, Mapping[str, Cell]] = field(default_factory=dict)
    """Column → language → interval, n and source of the number."""
    asked: tuple[str, ...] = field(default=(), compare=False)
    """Tasks whose language is not known, where they were read just now."""

    @property
    def languages(self) -> list[str]:
        """All languages that have a number, sorted."""
        return sorted({tag for column in self.columns.values() for tag in column})

    def column(self, name: str) -> Mapping[str, float]:
        """Return the numbers of one column. Raises `CorpusError` where there is none of that name."""
        if name not in self.columns:
            raise CorpusError(f"The table of covariates has no column '{name}'.", remedy="Choose one that it has.")
        return self.columns[name]


@dataclass
class _Found:
    columns: dict[str, dict[str, float]]
    lines: dict[str, int] = field(default_factory=dict)
    unknown: list[tuple[str, int]] = field(default_factory=list)
    """What stands in place of a language, and its line."""


def read_files(files: Sequence[InputFile], *, tasks: Mapping[str, str] | None = None, model: str = "") -> Covariates:
    """Return the numbers in one table, or the outcomes in results files of other tools and archives of them.

    `tasks` are the languages of tasks that their names do not tell, `model` is whose results they are: see `outcomes.read`.
    Raises `CorpusError` for what is neither, and `StoreError` for a file that cannot be read.
    """
    if len(files) == 1 and not RESULTS.search(files[0].name):
        return read_file(files[0])
    found = outcomes.read(files, tasks=tasks, model=model)
    return Covariates(found.values, found.warnings, found.losses, found.outcomes, found.cells, found.asked)


def read_file(file: InputFile) -> Covariates:
    """As `read`, of a file. Raises `StoreError` where it cannot be read."""
    try:
        content = file.path.read_bytes()
    except OSError as error:
        raise StoreError(f"{printable(file.name)} cannot be read ({error.strerror}). Check its permissions.") from error
    return read(content, file.name)


def read(content: bytes, name: str) -> Covariates:
    """Return the numbers in a CSV (comma, semicolon or tab; UTF-8) whose first line names its columns.

    Rows of unknown languages and columns that hold text are left out, and a warning says so. Raises `CorpusError` with file,
    line and remedy for what cannot be read, a language that comes twice, and a table without any number.
    """
    file = printable(name)
    rows = _rows(content, file)
    header = [printable(cell.strip()) for cell in rows[0][1]]
    lowered = [cell.casefold() for cell in header]
    at = next((lowered.index(each) for each in LANGUAGE if each in lowered), 0)
    names = [cell for i, cell in enumerate(header) if i != at and cell]
    twice = next((cell for cell in names if names.count(cell) > 1 or cell.casefold() == lowered[at]), None)
    if twice or not names or len(names) > MAX_COLUMNS:
        wrong = f"has two columns called '{twice}'" if twice else f"has {len(names)} columns of numbers"
        raise CorpusError(
            f"The table {wrong}.",
            remedy=f"The first line names the columns: language, and 1 to {MAX_COLUMNS} others.",
            file=file,
            line=rows[0][0],
        )
    columns_read = _Found({each: {} for each in names})
    texts: dict[str, tuple[int, str]] = {}
    for line, row in rows[1:]:
        _read_row(columns_read, texts, header, row, at, line, file)
    kept = {each: values for each, values in columns_read.columns.items() if values and each not in texts}
    if not kept:
        raise _without_numbers(texts, columns_read.unknown, file)
    notes = [f"Column '{each}' is left out: '{cell}' in line {line} is no number." for each, (line, cell) in texts.items()]
    if columns_read.unknown:
        which = ", ".join(f"'{said}' in line {line}" for said, line in columns_read.unknown[:5])
        several = len(columns_read.unknown) > 1
        what = f"{len(columns_read.unknown)} rows are" if several else "1 row is"
        notes.append(f"{what} left out: {which} {'are no known languages' if several else 'is no known language'}.")
    return Covariates(kept, tuple(notes), _losses(columns_read, texts, len(rows) - 1, file))


def _losses(columns_read: _Found, texts: Mapping[str, tuple[int, str]], rows: int, file: str) -> tuple[Loss, ...]:
    """Return the rows of unknown languages, and the columns that are lost for a few cells: most of theirs are numbers."""
    lines, columns = Tally(), Tally()
    lines.read(file, rows)
    for said, line in columns_read.unknown:
        lines.lose(file, line, f"'{said}' is no known language", "no known language")
    columns.read(file, len(columns_read.columns))
    for name, (line, cell) in texts.items():
        if 2 * len(columns_read.columns[name]) > len(columns_read.lines):
            columns.lose(file, line, f"'{cell}' in column '{name}' is no number", "a cell that is no number")
    return lines.losses() + columns.losses("column")


def _without_numbers(texts: dict[str, tuple[int, str]], unknown: list[tuple[str, int]], file: str) -> CorpusError:
    if texts:
        line, cell = next(iter(texts.values()))
        return CorpusError(
            f"No column of the table holds numbers alone: '{cell}' is none.",
            remedy="Write numbers as 1234.5.",
            file=file,
            line=line,
        )
    if unknown:
        return CorpusError(
            f"The table has no row of a known language: '{unknown[0][0]}' in line {unknown[0][1]} is none.",
            remedy="Write tags such as 'de', 'deu' or 'zh-Hans'.",
            file=file,
        )
    return CorpusError("No cell of the table holds a number.", remedy="Write numbers as 1234.5.", file=file)


def _rows(content: bytes, file: str) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, with their numbers; the columns' names first."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(content, error.start, file) from error
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    separator = likeliest(next((line for line in lines if line.strip()), ""), "\t;,")
    rows = [row for row in read_rows(InputFile(file, Path()), lines, separator) if any(map(str.strip, row[1]))]
    if len(rows) < 2 or len(rows[0][1]) < 2:
        raise CorpusError(
            "The table has no row of numbers." if rows else "The table is empty.",
            remedy="Write a first line such as 'language,speakers', and a row a language.",
            file=file,
            line=rows[-1][0] if rows else None,
        )
    return rows


def _read_row(
    columns_read: _Found, texts: dict[str, tuple[int, str]], header: list[str], row: list[str], at: int, line: int, file: str
) -> None:
    if len(row) != len(header):
        raise uneven(InputFile(file, Path()), (line, row), f"but the first line {len(header)}", "Mend the row.")
    said = row[at].strip()
    try:
        tag = language(said).tag
    except CorpusError:
        columns_read.unknown.append((printable(said), line))
        return
    if tag in columns_read.lines:
        raise CorpusError(
            f"{tag} is there twice, first in line {columns_read.lines[tag]}.",
            remedy="Keep a row a language.",
            file=file,
            line=line,
        )
    columns_read.lines[tag] = line
    for i, (name, cell) in enumerate(zip(header, row, strict=True)):
        text = cell.strip()
        if i == at or not name or text.casefold() in MISSING:
            continue
        value = _number(text)
        if math.isfinite(value):
            columns_read.columns[name][tag] = value
        else:
            texts.setdefault(name, (line, printable(text)))


def _number(text: str) -> float:
    """Return the number that a cell holds, nan where it holds none; `1_000`, a number to Python, is none to a spreadsheet."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
