"""From the columns that every reader yields to a checked corpus: one place for all that can be wrong with rows."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.languages.languages import Language, language, languages
from isogloss.backend.corpora.parallel import checks
from isogloss.backend.corpora.parallel.corpus import SCHEMA, SHOWN, ParallelCorpus, ReadReport, Skipped
from isogloss.backend.corpora.shared.cells import Cells
from isogloss.backend.corpora.shared.loss import Tally
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


VISIBLE = r"[^\s\p{Z}\p{Cc}\p{Cf}\x{034F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{2800}\x{3164}\x{FE00}-\x{FE0F}\x{FFA0}]"
"""A character that shows: no space, control or mark of direction, no filler, nothing of no width."""


@dataclass(frozen=True)
class Column:
    """The rows of one language in one file. All sequences have the same length."""

    name: str
    """The language as the source calls it."""
    file: str
    ids: Sequence[str]
    texts: Sequence[str | None]
    """None or nothing but white space: the sentence is missing in this language."""
    lines: Sequence[int]
    documents: Sequence[str | None] | None = None


@dataclass
class Skips:
    """Rows left out so far: the first `SHOWN` in full, the others counted."""

    rows: list[Skipped] = field(default_factory=list)
    more: int = 0
    tally: Tally = field(default_factory=Tally)
    """Of each file, for the rule of `backend.corpora.shared.loss`."""

    def add(self, file: str, lines: Iterable[int], reason: str, *, kind: str = "", lost: bool = True) -> None:
        """Note a row for each of `lines`, all left out for one `reason`, of which `kind` is the general form.

        Rows that held nothing (blank ones, a translation that is missing), or that their format leaves out, are not `lost`.
        """
        for line in lines:
            if lost:
                self.tally.lose(file, int(line), reason, kind)
            if len(self.rows) < SHOWN:
                self.rows.append(Skipped(file, int(line), reason))
            else:
                self.more += 1


@dataclass(frozen=True)
class _Part:
    """The rows of one column that hold text, as Arrow arrays of one length."""

    column: Column
    language: Language
    ids: pa.ChunkedArray
    texts: pa.ChunkedArray
    documents: pa.ChunkedArray
    lines: Sequence[int]


def assemble(
    kind: str,
    columns: Sequence[Column],
    *,
    skips: Skips | None = None,
    warnings: Sequence[str] = (),
    source: str | None = None,
    strict: bool = True,
) -> ParallelCorpus:
    """Return the corpus that `columns` make up; several columns of one language (files, splits) are joined in the order given.

    `kind` is the format's name, `source` the origin where there is one. Rows without text are skipped and counted. What is odd
    but harmless becomes a warning. With `strict`, text in another script than its language's is an error, else a warning.
    Raises `CorpusError` for unknown languages, ids that recur within a language, NULs, fewer than two languages, no text.
    """
    skips = skips or Skips()
    named = named_languages(columns)
    parts = [_part(column, named[column.name], skips) for column in columns]
    by_tag: dict[str, list[_Part]] = {}
    for part in parts:
        by_tag.setdefault(part.language.tag, []).append(part)
    empty = [tag for tag, own in by_tag.items() if not sum(len(p.ids) for p in own)]
    if len(by_tag) - len(empty) < 2:
        found = ", ".join(sorted(set(by_tag) - set(empty))) or "none"
        raise CorpusError(
            f"A parallel corpus needs text in at least two languages; found: {found}.",
            remedy="Drop the files of its other languages together with this one.",
            file=columns[0].file if columns else None,
        )
    for own in by_tag.values():
        _check_ids(own)
    notes = [*warnings, *(f"There is no text at all in {tag}." for tag in empty)]
    samples = [checks.Sample(p.column.name, p.language, p.column.file, *_sample(p)) for p in parts if len(p.ids)]
    notes += checks.scripts(samples, strict=strict) + checks.copies(samples) + checks.damage(samples)
    notes += checks.duplicates([checks.Texts(p.language.tag, p.column.file, p.texts, p.lines) for p in parts])
    table = pa.concat_tables([_table(p) for tag in sorted(by_tag) for p in by_tag[tag]])
    notes += checks.missing(table)
    names = {named[c.name].tag: c.name for c in columns}
    report = ReadReport(kind, names, tuple(skips.rows), skips.more, tuple(notes), source, skips.tally.losses())
    return ParallelCorpus(table, report)


def named_languages(columns: Sequence[Column]) -> dict[str, Language]:
    """Return each source name's language; errors name the file."""
    for column in columns:
        try:
            language(column.name)
        except CorpusError as error:
            line = column.lines[0] if len(column.lines) else None
            raise CorpusError(error.problem, remedy=error.remedy, file=column.file, line=line) from None
    try:
        return languages(dict.fromkeys(c.name for c in columns))
    except CorpusError as error:
        raise CorpusError(error.problem, remedy=error.remedy, file=_second(columns)) from None


def _second(columns: Sequence[Column]) -> str:
    """Return the file with the second name of one language: what is wrong begins there."""
    names: dict[str, str] = {}
    return next((c.file for c in columns if names.setdefault(language(c.name).tag, c.name) != c.name), columns[0].file)


def _part(column: Column, known: Language, skips: Skips) -> _Part:
    texts = strings(column, column.texts)
    check_nul(texts, column.file, column.lines)
    kept = shows_something(texts)
    ids = strings(column, column.ids)
    if column.documents is None:
        documents = pa.chunked_array([pa.nulls(len(texts), pa.string())])
    else:
        documents = strings(column, column.documents)
    if pc.all(kept).as_py() is not False:
        return _Part(column, known, ids, texts, documents, column.lines)
    mask = np.asarray(kept)
    skips.add(column.file, (column.lines[int(i)] for i in np.flatnonzero(~mask)), f"no text in {column.name}", lost=False)
    lines = array("q", compress(column.lines, mask))
    return _Part(column, known, ids.filter(kept), texts.filter(kept), documents.filter(kept), lines)


def check_nul(texts: pa.ChunkedArray, file: str, lines: Sequence[int]) -> None:
    """Raise `CorpusError` where a text holds a NUL character."""
    nul = pc.index(pc.match_substring(texts, "\0"), value=True).as_py()
    if nul >= 0:
        raise CorpusError(
            "There is a NUL character.", remedy="Remove it; it is no part of any text.", file=file, line=lines[nul]
        )


def shows_something(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return for each text whether it holds more than spaces, controls and signs of no width; false where it is missing."""
    return pc.fill_null(pc.match_substring_regex(texts, VISIBLE), False)


def strings(column: Column, values: Sequence[str | None]) -> pa.ChunkedArray:
    """Return strings as Arrow has them. Raises `CorpusError` for a value that is not text (a number, a lone surrogate)."""
    if isinstance(values, Cells) and (kept := values.strings()) is not None:
        return kept
    try:
        made = pa.array(list(values), pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        for line, value in zip(column.lines, values, strict=True):
            if value is None or (isinstance(value, str) and value.isprintable()):
                continue
            if not isinstance(value, str) or any("\ud800" <= c <= "\udfff" for c in value):
                what = "half a character (a lone surrogate)" if isinstance(value, str) else f"{value!r:.40}"
                raise CorpusError(
                    f"There is {what} where a text in {column.name} should be.",
                    remedy="Put text there, or leave it empty where it is missing.",
                    file=column.file,
                    line=line,
                ) from None
        raise
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])


def _check_ids(parts: Sequence[_Part]) -> None:
    """Raise `CorpusError` where an id recurs within a language."""
    ids = pa.chunked_array([chunk for p in parts for chunk in p.ids.chunks], pa.string())
    if checks.no_repeats(ids):
        return
    again, before = checks.first_repeat(ids)
    part, line = _at(parts, again)
    other, first = _at(parts, before)
    raise CorpusError(
        f"The id '{ids[again].as_py()[:60]}' is there a second time in {part.column.name} "
        f"(first in {other.column.file}, line {first}).",
        remedy="Give every sentence an id of its own, the same in all languages.",
        file=part.column.file,
        line=line,
    )


def _at(parts: Sequence[_Part], place: int) -> tuple[_Part, int]:
    """Return the part that has a row of all parts' rows, and the row's line."""
    for part in parts:
        if place < len(part.lines):
            return part, part.lines[place]
        place -= len(part.lines)
    raise IndexError(place)


def _sample(part: _Part) -> tuple[list[str], list[int]]:
    """Up to 200 evenly spaced texts and their lines."""
    step = max(1, len(part.texts) // 200)
    places = range(0, len(part.texts), step)
    return part.texts.take(pa.array(places)).to_pylist(), [part.lines[i] for i in places]


def _table(part: _Part) -> pa.Table:
    tags = pa.repeat(pa.scalar(part.language.tag, pa.string()), len(part.ids))
    return pa.table([part.ids, tags, part.texts, part.documents], schema=SCHEMA)


def with_warnings(corpus: ParallelCorpus, notes: Sequence[str]) -> ParallelCorpus:
    """Return the same corpus, saying more."""
    return replace(corpus, report=replace(corpus.report, warnings=(*corpus.report.warnings, *notes)))
