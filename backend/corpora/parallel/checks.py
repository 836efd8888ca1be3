"""What may be odd about the rows of a corpus: mixed-up columns, copies, damaged characters, duplicates, gaps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.languages.scripts import fits, may_be_written, script_of, usual
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.languages.languages import Language

FEWEST = 3
"""Rows that a sample must have before its script or its sameness says anything."""
SAME = 0.5
"""The share of rows above which two columns are taken for one text."""
MOJIBAKE = "Ã[\\x{80}-\\x{BF}]|â\\x{20AC}|Ð[\\x{80}-\\x{BF}\\x{2018}-\\x{2122}]Ð"
"""UTF-8 read as Latin-1 or Windows-1252 and saved again: `Ã¤`, `â€™`."""


@dataclass(frozen=True)
class Sample:
    """Evenly spaced rows of one column."""

    name: str
    """The language as the source calls it."""
    language: Language
    file: str
    texts: list[str]
    lines: list[int]

    @cached_property
    def distinct(self) -> frozenset[str]:
        """Its texts, each once."""
        return frozenset(self.texts)


@dataclass(frozen=True)
class Texts:
    """All texts of one language in one file."""

    tag: str
    file: str
    texts: Any
    lines: Sequence[int]


def scripts(samples: Sequence[Sample], *, strict: bool) -> list[str]:
    """Warnings about columns whose script is not their language's; nothing of a language whose script is not known.

    What can only be a mistake is a `CorpusError` with `strict`: two columns that are swapped, the text of another language, a
    script that the name itself says otherwise (`sr-Latn`), and one in which the language is not written (`may_be_written`).
    """
    notes = []
    script_by_sample = {id(s): script for s in samples if len(s.texts) >= FEWEST and (script := usual(s.texts))}
    wrong = [s for s in samples if id(s) in script_by_sample and not fits(s.language.script, script_by_sample[id(s)])]
    for sample in wrong:
        script, (code, *subtags) = script_by_sample[id(sample)], sample.language.tag.split("-")
        problem = (
            f"Most of {sample.name} is not in the script of {sample.language.name} ({sample.language.script}) but in {script}."
        )
        remedy = f"If the text is right, call the language '{code}-{script}'."
        fitting = (
            s for s in wrong if fits(s.language.script, script) and fits(sample.language.script, script_by_sample[id(s)])
        )
        swapped = next(fitting, None)
        if swapped:
            remedy = f"{sample.name} and {swapped.name} seem to be swapped: exchange their names."
        named = sample.language.script in subtags
        copied = any(
            _shared(sample, s) > SAME for s in samples if id(s) in script_by_sample and s.language.tag != sample.language.tag
        )
        allowed = not (named or swapped or copied) and may_be_written(code, script, surely=code in genera())
        if strict and not allowed:
            line = next(n for t, n in zip(sample.texts, sample.lines, strict=True) if script_of(t) == script)
            raise CorpusError(problem, remedy=remedy, file=sample.file, line=line)
        notes.append(f"{sample.file}: {problem} {remedy}")
    return notes


def copies(samples: Sequence[Sample]) -> list[str]:
    """Warnings about two languages that have the same text in most rows: one file dropped under two names."""
    notes = []
    for a, b in combinations([s for s in samples if len(s.texts) >= FEWEST], 2):
        same = _shared(a, b)
        if a.language.tag != b.language.tag and same > SAME:
            notes.append(
                f"{a.name} and {b.name} have the same text in about {same:.0%} of the rows: check that none was dropped twice."
            )
    return notes


def _shared(a: Sample, b: Sample) -> float:
    """Return the share of the shorter column's distinct texts that the other has too."""
    return len(a.distinct & b.distinct) / min(len(a.distinct), len(b.distinct))


def damage(samples: Sequence[Sample]) -> list[str]:
    """Warnings about characters that an earlier program damaged."""
    notes = []
    for sample in samples:
        texts = pa.array(sample.texts, pa.string())
        for pattern, what in (("\ufffd", "the replacement character U+FFFD"), (MOJIBAKE, "UTF-8 read as Latin-1 ('Ã¤')")):
            hit = pc.index(pc.match_substring_regex(texts, pattern), value=True).as_py()
            if hit >= 0:
                notes.append(
                    f"{sample.file}, line {sample.lines[hit]}: {what} stands in the text. "
                    "Its encoding was damaged before it came here; export it again from its source."
                )
    return notes


def duplicates(columns: Sequence[Texts]) -> list[str]:
    """Return one warning that counts the sentences which recur within a language of one file, and shows the first."""
    counts: dict[str, int] = {}
    first = ""
    for column in columns:
        extra = (
            len(column.texts) - pc.count_distinct(column.texts).as_py()
        )  # in Arrow: a set of Python's takes ten times as much
        if extra:
            counts[column.tag] = counts.get(column.tag, 0) + extra
            first = first or _first_repeat(column)
    if not counts:
        return []
    most = sorted(counts, key=lambda tag: (-counts[tag], tag))
    listed = ", ".join(f"{counts[tag]:,} in {tag}" for tag in most[:6]) + (", …" if len(most) > 6 else "")
    return [f"Sentences that repeat an earlier one, kept: {listed}. {first}"]


def missing(table: pa.Table) -> list[str]:
    """Warnings about languages that have fewer than half of the sentences."""
    total = pc.count_distinct(table["sentence_id"]).as_py()
    sizes = {row["values"]: row["counts"] for row in pc.value_counts(table["language"]).to_pylist()}
    return [f"{tag} has only {size:,} of the {total:,} sentences." for tag, size in sorted(sizes.items()) if size * 2 < total]


def _first_repeat(column: Texts) -> str:
    again, before = first_repeat(column.texts)
    return f"The first: {column.file}, line {column.lines[again]} repeats line {column.lines[before]}."


def no_repeats(values: pa.ChunkedArray) -> bool:
    """Return whether no value recurs."""
    return bool(pc.count_distinct(values).as_py() == len(values))


def first_repeat(values: pa.ChunkedArray) -> tuple[int, int]:
    """Return the place of the first value that an earlier one equals, and that one's. There must be one."""
    coded = pc.dictionary_encode(pa.chunked_array([values]) if isinstance(values, pa.Array) else values).unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])
    # Codes are given in the order of first occurrence: a value is new where its code is above all before it.
    known = np.maximum.accumulate(codes)
    again = int(np.flatnonzero(np.concatenate(([False], codes[1:] <= known[:-1])))[0])
    return again, int(np.flatnonzero(codes == codes[again])[0])
