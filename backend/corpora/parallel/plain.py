"""Plain text, one file per language, line i the same sentence in each: `news.de` and `news.fi`, `de.txt`, `news.deu.txt`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel.assemble import Column, assemble
from isogloss.backend.corpora.shared.cells import numbered
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.textlines import check_aligned, read_lines
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

NOT_TEXT = re.compile(r"^(readme|licen[cs]e|copying|notice|changelog|citation)\b", re.IGNORECASE)
OTHER_SUFFIX = re.compile(
    r"\.(png|gif|jpe?g|bmp|pdf|doc|bin|exe|dll|log|ini|tmp|dat|tex|bib|aux|npy|npz|pkl|rar|xml|htm|css)$", re.IGNORECASE
)
"""Suffixes of other files, some of which are codes of languages too (`png` is Pongu)."""


def align(files: Sequence[tuple[str, InputFile]], prefix: str = "", documents: Sequence[str] | None = None) -> list[Column]:
    """Return the columns of line-aligned files, given as (the language's name, file); ids are `prefix` and the line's number.

    `documents` has one id per line. Raises `CorpusError` for files that cannot be read or differ in their number of lines.
    """
    rows = {file.name: read_lines(file) for _, file in files}
    check_aligned({name: len(lines) for name, lines in rows.items()})
    count = len(next(iter(rows.values())))
    ids, numbers = numbered(count, prefix), range(1, count + 1)
    return [Column(name, file.name, ids, rows[file.name], numbers, documents) for name, file in files]


def split_name(file: InputFile) -> tuple[str, str] | None:
    """(stem, the language's name) of a file's name, or None where it names no language."""
    base = re.sub(r"\.txt$", "", file.base, flags=re.IGNORECASE)
    if NOT_TEXT.match(base) or OTHER_SUFFIX.search(base):
        return None
    pieces = re.split(r"[.]", base)
    candidates = [(".".join(pieces[:-1]), pieces[-1])]
    if len(pieces) == 1 and base != file.base:  # news_de.txt, news-pt_BR.txt
        parts = re.split(r"([-_])", base)
        candidates += [("".join(parts[: i - 1]), "".join(parts[i:])) for i in range(2, len(parts), 2)]
    for stem, name in candidates:
        try:
            language(name)
        except CorpusError:
            continue
        return stem, name
    return None


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return those whose name says a language."""
    return {f: Evidence.LANGUAGE for f in files if split_name(f)}


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in files of `recognise`; those of one stem (`train.de`, `train.fi`) are aligned with each other."""
    stems: dict[str, list[tuple[str, InputFile]]] = {}
    for file in files:
        stem, name = split_name(file) or ("", "")
        stems.setdefault(stem, []).append((name, file))
    several = len(stems) > 1
    if several and all(len(group) == 1 for group in stems.values()):  # a.de, b.fi: the stems say nothing
        stems, several = {"": [group[0] for group in stems.values()]}, False
    columns = [c for stem in sorted(stems) for c in align(stems[stem], f"{stem}." if several and stem else "")]
    return assemble(FORMAT.name, columns)


FORMAT = Format("plain text, one file per language", "`news.de`, `news.fi`", recognise, read)
