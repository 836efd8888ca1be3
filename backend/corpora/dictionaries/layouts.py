"""How a dictionary's file is laid out: its separator, its header if it has one, and which columns hold the two languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import genera, language
from isogloss.backend.corpora.shared.delimited import read_rows
from isogloss.backend.corpora.shared.textlines import read_lines
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.languages.languages import Language
    from isogloss.backend.corpora.shared.delimited import Quotes, Row
    from isogloss.backend.corpora.shared.inputs import InputFile

LOOKED_AT = 1000
"""Lines with text that decide on the separator."""
QUOTES: dict[str, Quotes] = {" ": "text", "\t": "cells"}
"""How cells are quoted, by the separator; a spreadsheet quotes some between tabs without need. CSV's quotes by default."""
NAMES = {"\t": "tab", " ": "space", ",": "comma", ";": "semicolon"}
CLOZE = ("cloze", "blank_prompt_translation_masked")
"""Columns of cloze sentences in the target language: ours, and that of Wendler et al. 2024's released tables,"""
OF_CLOZE = ("word_original", "word_translation")
"""whose columns of English words and of their translations are called so."""
HEADERS = {("source", "target"), ("src", "tgt"), ("word", "translation"), ("term", "translation")}
"""First lines that say nothing about languages and are no pair of words either."""

CODE = "[A-Za-z]{2,3}(?:_[A-Z][a-z]{3})?(?:_[A-Z]{2})?"
NAME = re.compile(f"(?:^|[^A-Za-z])({CODE})[-_]({CODE})$")
"""Two codes at the end of a name; a script or a region only as `zho_Hant`, `pt_BR`."""


@dataclass(frozen=True)
class Layout:
    """The rows of a dictionary's file, without its header, and where in them the words are."""

    format: str
    rows: Sequence[Row]
    width: int
    """Cells that a row should have."""
    columns: tuple[int, int]
    """The cells of the source word and of the target word."""
    separator_name: str
    notes: tuple[str, ...] = ()
    cloze: int | None = None
    """The cell of a sentence with a gap for the target word, where a header names one."""


def recognise(file: InputFile, ends: tuple[Language, Language]) -> Layout:
    """Return the layout of a file that should hold a dictionary between two languages.

    Raises `CorpusError` with line and remedy where nothing separates two words, a quote is not closed, there are more than two
    columns and no header says which are meant, or a byte is not UTF-8.
    """
    lines = read_lines(file)
    separator = _separator(file, lines)
    rows = list(read_rows(file, lines, separator, QUOTES.get(separator, "csv"), skip_spaces=True))
    filled = next(i for i, (_, cells) in enumerate(rows) if any(c.strip() for c in cells))
    number, first = rows[filled]
    columns, cloze = _named_columns(first, ends), _cloze_column(first)
    name = NAMES[separator]
    form = "MUSE" if separator in "\t " and len(first) == 2 else "table"
    if columns:
        left = [c.strip() for i, c in enumerate(first) if i not in (*columns, cloze)]
        notes = (f"Columns left out: {', '.join(repr(c[:40]) for c in left)}.",) if left else ()
        return Layout(
            f"{form}, {name}s, with a header", [*rows[:filled], *rows[filled + 1 :]], len(first), columns, name, notes, cloze
        )
    if separator != " " and len(first) > 2 and _usual_width(rows) > 2:
        raise CorpusError(
            f"There are {len(first)} columns, and the first line does not say which are {ends[0].tag} and {ends[1].tag}.",
            remedy=f"Keep two columns, or add a first line that names them: '{ends[0].tag}' and '{ends[1].tag}'.",
            file=file.name,
            line=number,
        )
    if tuple(c.strip().lower() for c in first) in HEADERS:
        return Layout(f"{form}, {name}s, with a header", [*rows[:filled], *rows[filled + 1 :]], 2, (0, 1), name)
    return Layout(f"{form}, {name}s", rows, 2, (0, 1), name, _other_header(file, number, first, ends))


def languages_of_name(name: str) -> tuple[str, str] | None:
    """The two languages that a file's name ends in, as in `en-de.txt`, `en-de.0-5000.txt` and `muse_eng_Latn-deu_Latn.tsv`.

    As BCP-47 tags, for a person to confirm: a name says nothing for sure. None where it names no two languages of our table.
    """
    for part in re.split(r"[/\\]", name)[-1].split("."):
        match = NAME.search(part)
        ends = [_tag(code) for code in match.groups()] if match else []
        if len({end for end in ends if end and end.split("-")[0] in genera()}) == 2:
            return str(ends[0]), str(ends[1])
    return None


def _separator(file: InputFile, lines: Sequence[str]) -> str:
    """Return the character between two columns. Raises `CorpusError` where none divides most of the lines in two."""
    some = list(islice(((n, line) for n, line in enumerate(lines, start=1) if line.strip()), LOOKED_AT))
    half = len(some) / 2
    if sum("\t" in line.strip() for _, line in some) >= half:
        return "\t"
    commas = {mark: sum(mark in line for _, line in some) for mark in ",;"}
    mark = max(commas, key=lambda each: commas[each])
    if file.base.lower().endswith(".csv"):
        if commas[mark] >= half:
            return mark
    elif sum(len(line.split()) == 2 and not line.split()[0].endswith((",", ";", ":", "=")) for _, line in some) >= half:
        return " "
    seems = f" The separator seems to be a {NAMES[mark]}." if commas[mark] >= half else ""
    raise CorpusError(
        f"Most lines are not two words with a tab or a space between them.{seems}",
        remedy="Separate the two words with a tab, or name the file .csv where it has commas or semicolons.",
        file=file.name,
        line=next((n for n, line in some if "\t" not in line.strip()), 1),
    )


def _named_columns(first: Sequence[str], ends: tuple[Language, Language]) -> tuple[int, int] | None:
    """Return the cells of a header that name the two languages, or None where the line is no such header."""
    tags = [_tag(cell) for cell in first]
    if tags.count(ends[0].tag) == 1 and tags.count(ends[1].tag) == 1:
        return tags.index(ends[0].tag), tags.index(ends[1].tag)
    names = [cell.strip().lower() for cell in first]
    if all(names.count(each) == 1 for each in OF_CLOZE):
        return names.index(OF_CLOZE[0]), names.index(OF_CLOZE[1])
    return None


def _cloze_column(first: Sequence[str]) -> int | None:
    names = [cell.strip().lower() for cell in first]
    return next((names.index(each) for each in CLOZE if names.count(each) == 1), None)


def _other_header(file: InputFile, number: int, first: Sequence[str], ends: tuple[Language, Language]) -> tuple[str, ...]:
    """Return a note on a first line such as `en`, `fr` in a dictionary that was said to be of English and German."""
    tags = [_tag(cell) for cell in first]
    if len(tags) == 2 and None not in tags and {end.tag for end in ends} & set(tags):
        pair = f"'{first[0].strip()}' and '{first[1].strip()}'"
        return (f"{file.name}, line {number}: {pair} may be a header that names other languages; it was read as a pair.",)
    return ()


def _tag(cell: str) -> str | None:
    try:
        return language(cell.strip()).tag
    except CorpusError:
        return None


def _usual_width(rows: Sequence[Row]) -> int:
    widths = list(islice((len(cells) for _, cells in rows if any(c.strip() for c in cells)), LOOKED_AT))
    return max(set(widths), key=widths.count)
