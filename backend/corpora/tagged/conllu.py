"""CoNLL-U, the format of Universal Dependencies: ten columns a word, of which the form, UPOS and `SpaceAfter` are read.

https://universaldependencies.org/format.html. A reader of our own: the package `conllu` names no lines, takes rows of three
columns, and splits a row at two spaces, which may stand in a form. Tests hold the two against each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.corpora.tagged.sentences import MAX_SENTENCE, Raw, rows, too_long
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.corpora.shared.inputs import InputFile

COLUMNS = 10
FORM, UPOS, MISC = 1, 3, 9
WORD = re.compile(r"[1-9]\d{0,5}", re.ASCII)
RANGE = re.compile(r"([1-9]\d{0,5})-([1-9]\d{0,5})", re.ASCII)
EMPTY_NODE = re.compile(r"(\d{1,6})\.[1-9]\d{0,5}", re.ASCII)


@dataclass
class _Sentence:
    """What was read of a sentence so far."""

    line: int = 0
    id: str = ""
    words: list[str] = field(default_factory=list)
    glued: list[bool] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    range: tuple[int, int] = (0, 0)
    """The first and the last word of the multi-word token that is open, or was last."""
    range_form: str = ""
    range_glued: bool = False


def sentences(file: InputFile) -> Iterator[Raw]:
    """The sentences of a file with their words (syntactic words, as UD counts them), spaces and UPOS tags.

    Multi-word tokens (`3-4`) are no words, but their `SpaceAfter` is that of their last word; within one, no space separates
    words that together spell it (`do` `n't` is `don't`), and one does where they do not (French `du` is `de le`). Empty nodes
    (`7.1`) are skipped. The id is the comment `sent_id`, or what follows the corpus's name in `parallel_id`; else the number of
    the sentence.
    Raises `CorpusError` with file and line for a row that has not ten columns, and ids that do not count from 1.
    """
    now, number, last = _Sentence(), 0, 0
    for line, row in rows(file):
        last = line
        if not row.strip():
            if now.words or now.range[1]:
                number += 1
                yield _finished(now, number, file, line)
            now = _Sentence()
        elif row[0] == "#":
            _comment(row, now)
        else:
            _row(row, now, file, line)
    if now.words or now.range[1]:
        yield _finished(now, number + 1, file, last)


def _comment(row: str, now: _Sentence) -> None:
    key, _, value = (part.strip() for part in row[1:].partition("="))
    if key == "parallel_id" and value:
        now.id = value.partition("/")[2] or value
    elif key == "sent_id":
        now.id = now.id or value


def _row(row: str, now: _Sentence, file: InputFile, line: int) -> None:
    """Add a word to the sentence, or note a multi-word token."""
    cells = row.split("\t")
    if len(cells) != COLUMNS:
        raise _wrong(
            f"The row has {len(cells)} column{'s' if len(cells) > 1 else ''}, not {COLUMNS}.",
            file,
            line,
            "CoNLL-U has ten columns with one tab between them, and no tab inside one; '_' stands for nothing.",
        )
    word_id, following = cells[0], len(now.words) + 1
    if WORD.fullmatch(word_id):
        if int(word_id) != following:
            raise _wrong(f"The word has the id {word_id} where {following} is due.", file, line)
        now.line = now.line or line
        now.words.append(cells[FORM].strip())
        now.tags.append(cells[UPOS].strip())
        now.glued.append(_glued(cells[MISC]))
        if following == now.range[1]:
            _close(now)
        if following > MAX_SENTENCE:
            raise too_long(file, line)
    elif match := RANGE.fullmatch(word_id):
        first, end = int(match[1]), int(match[2])
        if first != following or end < first or now.range[1] >= following:
            raise _wrong(f"The multi-word token {word_id} does not begin at the next word, {following}.", file, line)
        now.range, now.range_form, now.range_glued = (first, end), cells[FORM].strip(), _glued(cells[MISC])
        now.line = now.line or line
    elif not ((match := EMPTY_NODE.fullmatch(word_id)) and int(match[1]) == following - 1):
        raise _wrong(f"'{printable(word_id[:20])}' is no id that may follow word {following - 1}.", file, line)


def _close(now: _Sentence) -> None:
    """Settle the spaces of the multi-word token whose last word was just added."""
    first, end = now.range
    spelt = "".join(now.words[first - 1 : end]) == now.range_form
    for place in range(first - 1, end - 1):
        now.glued[place] = now.glued[place] or spelt
    now.glued[end - 1] = now.range_glued


def _finished(now: _Sentence, number: int, file: InputFile, line: int) -> Raw:
    if now.range[1] > len(now.words):
        first, end = now.range
        raise _wrong(f"The sentence ends before the last word of its multi-word token {first}-{end}.", file, line)
    return Raw(now.line, now.id or str(number), now.words, now.glued, now.tags)


def _glued(misc: str) -> bool:
    return "SpaceAfter=No" in misc and "SpaceAfter=No" in misc.strip().split("|")


def _wrong(problem: str, file: InputFile, line: int, remedy: str = "") -> CorpusError:
    remedy = remedy or "Words count 1, 2, 3 … in each sentence; check that a blank line ends the one before."
    return CorpusError(problem, remedy=remedy, file=file.name, line=line)
