"""Word alignments from files, and how many of the word pairs found otherwise they bear out.

Pharaoh format, which FastAlign, eflomal, awesome-align and SimAlign write: a line for each sentence pair, `0-0 1-2 …`, source
token first. Gold files mark a possible link `3p4` or `3?4`; a sure one is `3-4`. NAACL format (Mihalcea and Pedersen 2003): a
line for each link, `sentence source target [S|P] [confidence]`, all counted from 1. Places are places of tokens;
`backend.corpora.word_alignments.tokens` finds where the tokens stand in the sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from isogloss.backend.corpora.shared.textlines import lines_for, read_lines
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile

Base = Literal["detect", 0, 1]
"""Whether the first token is 0 or 1; `detect` takes the one that fits all lines of the file."""
LINK = re.compile(r"(\d{1,6})([-p?])(\d{1,6})", re.ASCII)
NUMBER = re.compile(r"\d{1,9}", re.ASCII)
BASE_REMEDY = "Check that the alignment belongs to these sentences, and whether it counts tokens from 0 or from 1."


@dataclass(frozen=True)
class Link:
    """Two tokens that translate each other; places count from 0."""

    source: int
    target: int
    sure: bool = True


@dataclass(frozen=True)
class Alignment:
    """The links of every sentence pair, in the order of the file, each pair of tokens once."""

    links: tuple[tuple[Link, ...], ...]
    base: Literal[0, 1]
    """Where the file counted from."""
    null: int = 0
    """Links to the empty word (place 0 in NAACL format), which align nothing and were left out."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Written:
    """A link as the file has it."""

    line: int
    sentence: int
    source: int
    target: int
    sure: bool


def read(file: InputFile, lengths: Sequence[tuple[int, int]], *, base: Base = "detect") -> Alignment:
    """Return the alignment in a file of Pharaoh format for sentences of `lengths` (source tokens, target tokens).

    Raises `CorpusError` with file and line for another number of lines than sentences, what is no link, and a place beyond the
    sentence's end.
    """
    said = "The alignment has {lines:,} lines for {sentences:,} sentence pairs."
    lines = lines_for(file, len(lengths), said, "Give one line a sentence pair, an empty one where nothing is aligned.")
    written = []
    for number, line in enumerate(lines, start=1):
        for item in line.split():
            match = LINK.fullmatch(item)
            if match is None:
                raise CorpusError(
                    f"'{item[:40]}' is no link.",
                    remedy="Write links as 3-4 (sure) or 3p4 (possible), source token first.",
                    file=file.name,
                    line=number,
                )
            written.append(_Written(number, number - 1, int(match[1]), int(match[3]), match[2] == "-"))
    return _alignment(file, written, lengths, base)


def read_naacl(file: InputFile, lengths: Sequence[tuple[int, int]]) -> Alignment:
    """Return the alignment in a file of NAACL format for sentences of `lengths` (source tokens, target tokens).

    Links without S or P are sure; links to place 0, the empty word, are counted and left out. Sentences may come in any order;
    one without a line has no links. Raises `CorpusError` with file and line for what is no such line, and for a sentence or a
    place beyond the end.
    """
    written, null = [], 0
    for number, line in enumerate(read_lines(file), start=1):
        fields = line.split()
        if not fields:
            continue
        marks = [f for f in fields[3:] if f in {"S", "P"}]
        if not 3 <= len(fields) <= 5 or not all(NUMBER.fullmatch(f) for f in fields[:3]) or (len(fields) == 5 and not marks):
            raise CorpusError(
                f"'{line[:60]}' is no line of NAACL format.",
                remedy="Write 'sentence source target S' or '… P', all counted from 1.",
                file=file.name,
                line=number,
            )
        sentence, source, target = map(int, fields[:3])
        if not 1 <= sentence <= len(lengths):
            raise CorpusError(
                f"There is no sentence {sentence}; there are {len(lengths):,}.", remedy=BASE_REMEDY, file=file.name, line=number
            )
        if not source or not target:
            null += 1
            continue
        written.append(_Written(number, sentence - 1, source, target, "P" not in marks))
    found = _alignment(file, written, lengths, 1)
    return Alignment(found.links, 1, null, found.notes)


def _alignment(file: InputFile, written: Sequence[_Written], lengths: Sequence[tuple[int, int]], base: Base) -> Alignment:
    notes: tuple[str, ...] = ()
    if base == "detect":
        base, notes = _base(file, written, lengths)
    links: list[list[Link]] = [[] for _ in lengths]
    for link in written:
        for place, length, side in zip((link.source, link.target), lengths[link.sentence], ("source", "target"), strict=True):
            if not base <= place < length + base:
                raise CorpusError(
                    f"There is no {side} token {place}: the sentence has {length}, counted from {base}.",
                    remedy=BASE_REMEDY,
                    file=file.name,
                    line=link.line,
                )
        links[link.sentence].append(Link(link.source - base, link.target - base, link.sure))
    return Alignment(tuple(_once(link) for link in links), base, 0, notes)


def _base(
    file: InputFile, written: Sequence[_Written], lengths: Sequence[tuple[int, int]]
) -> tuple[Literal[0, 1], tuple[str, ...]]:
    """Return where a file counts from: a place 0 shows 0, a place that is the sentence's length shows 1; both are an error."""
    zero = next((w for w in written if not w.source or not w.target), None)
    last = next((w for w in written if w.source == lengths[w.sentence][0] or w.target == lengths[w.sentence][1]), None)
    if zero and last:
        raise CorpusError(
            f"A place counted from 1 stands here, but places counted from 0 on line {zero.line}.",
            remedy=BASE_REMEDY,
            file=file.name,
            line=last.line,
        )
    if last:
        return 1, (f"{file.name} counts tokens from 1.",)
    undecided = f"{file.name} was taken to count tokens from 0, as the format does; nothing in it shows which."
    return 0, () if zero or not written else (undecided,)


def _once(links: Sequence[Link]) -> tuple[Link, ...]:
    """Return each pair of tokens once, in order of place; sure where one of its links is."""
    best: dict[tuple[int, int], bool] = {}
    for each in links:
        best[each.source, each.target] = best.get((each.source, each.target), False) or each.sure
    return tuple(Link(i, j, sure) for (i, j), sure in sorted(best.items()))
