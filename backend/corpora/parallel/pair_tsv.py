"""Training text of WMT in tables of two columns without a header: `news-commentary-v14.de-en.tsv`, German tab English.

The name says which languages the columns are, in their order. Nothing is quoted; a blank line parts documents.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel.assemble import Column, Skips, assemble
from isogloss.backend.corpora.shared.cells import Builder, held
from isogloss.backend.corpora.shared.delimited import read_rows, uneven
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.textlines import read_lines
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

HEAD = 1 << 16
"""Bytes that are looked at for a header."""
CODE = r"[A-Za-z]{2,3}(?:_[A-Za-z]{2,4})?"
NAME = re.compile(rf"(?P<set>.*[._-])?(?P<a>{CODE})-(?P<b>{CODE})\.tsv", re.IGNORECASE)


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the files whose name names two languages and whose first lines are two texts, not the names of columns."""
    named = {f: match for f in files if (match := NAME.fullmatch(f.base)) and match["a"] != match["b"]}
    return {f: Evidence.PATTERN for f in named if _headerless(f)}


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in files that `recognise` returned; ids are the lines' numbers, after the file's name if several.

    Raises `CorpusError` for a line that has not two columns.
    """
    skips = Skips()
    columns: list[Column] = []
    for file in files:
        named = NAME.fullmatch(file.base)
        assert named is not None
        sides, lines = (Builder(), Builder()), array("q")
        for number, fields in read_rows(file, read_lines(file), "\t", "text"):
            if not any(map(str.strip, fields)):
                skips.add(file.name, [number], "a blank row", lost=False)
                continue
            if len(fields) != 2:
                remedy = "Give the table a header that names its columns, or drop it as it was published."
                raise uneven(file, (number, fields), "not 2", remedy)
            for side, text in zip(sides, fields, strict=True):
                side.append(text)
            lines.append(number)
        prefix = f"{file.base.removesuffix('.tsv')}." if len(files) > 1 else ""
        ids = held(f"{prefix}{number}" for number in lines)
        columns += [Column(named[key], file.name, ids, side.done(), lines) for key, side in zip("ab", sides, strict=True)]
    return assemble(FORMAT.name, columns, skips=skips)


def _headerless(file: InputFile) -> bool:
    """Look at the first line that is not blank, of the first few: the file may be large."""
    with open(file.path, "rb") as opened:
        head = opened.read(HEAD).decode("utf-8-sig", errors="replace").split("\n")[:10]
    fields = next((line for line in head if line.strip()), "").rstrip("\r").split("\t")
    return len(fields) == 2 and not any(_names_a_column(field) for field in fields)


def _names_a_column(field: str) -> bool:
    """Whether a field is what a header has: the name or code of a language, or a word such as `id` and `text`."""
    from isogloss.backend.corpora.parallel.tabular import DOCUMENTS, IDS, OTHER, TEXTS

    if field.strip().lower() in {*IDS, *DOCUMENTS, *TEXTS, *OTHER}:
        return True
    try:
        language(field.strip())
    except CorpusError:
        return False
    return True


FORMAT = Format(
    "TSV pairs without a header", "WMT's training text: `news-commentary-v14.de-en.tsv`, two columns", recognise, read
)
