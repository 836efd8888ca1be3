"""From what every reader yields, sentence by sentence, to Arrow arrays: nothing but these is held while a file is read."""

from __future__ import annotations

import unicodedata
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from backend.corpora.shared.blocks import BrokenRowError, blocks
from backend.corpora.shared.inputs import shown
from backend.corpora.shared.textlines import UTF8
from backend.corpora.tagged.corpus import SCHEMA
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from backend.corpora.parallel.assemble import Skips
    from backend.corpora.shared.inputs import InputFile

MAX_WORDS = 60_000_000
"""Of all files together."""
MAX_SENTENCE = 20_000
"""Words of one sentence; more are a file without blank lines."""
MAX_TAGS = 500
MAX_TAG = 100
"""Characters of one tag."""
FLUSHED = 20_000
"""Sentences after which those read so far become Arrow arrays."""
NO_TAG = frozenset({"", "_"})
INVISIBLE = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})


class Raw(NamedTuple):
    """A sentence as a file has it; the three lists have one length."""

    line: int
    """Of its first word."""
    id: str
    words: list[str]
    glued: list[bool]
    """Whether no space follows the word."""
    tags: list[str]


@dataclass
class Tags:
    """The tags seen so far, each with its number."""

    codes: dict[str, int] = field(default_factory=dict)

    def code(self, tag: str, file: InputFile, line: int) -> int:
        """The number of a tag. Raises `CorpusError` where there are so many, or so long a one, that they are no tags."""
        known = self.codes.get(tag)
        if known is not None:
            return known
        if len(self.codes) >= MAX_TAGS or len(tag) > MAX_TAG:
            what = f"more than {MAX_TAGS} different tags" if len(tag) <= MAX_TAG else f"a tag of {len(tag):,} characters"
            raise CorpusError(
                f"There is {what}, here '{shown(tag[:40])}'."
                if len(tag) > MAX_TAG
                else f"There are {what}, here '{shown(tag)}'.",
                remedy="Check that the tags' column holds tags.",
                file=file.name,
                line=line,
            )
        return self.codes.setdefault(tag, len(self.codes))


@dataclass
class Left:
    """What was left out of one file, and how much was kept."""

    sentences: int = 0
    words: int = 0
    without_tag: int = 0
    """Sentences left out, for a word of theirs has no tag."""
    first: int = 0
    """The line of the first of them."""
    empty: int = 0
    """Words left out, for they show nothing; their sentences are kept."""
    hidden: int = 0
    """Words that are `_`, which stands for text that is withheld."""


@dataclass
class Pile:
    """The sentences of one language and part, in order."""

    language: str
    part: str
    tags: Tags
    batches: list[pa.RecordBatch] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lengths: array[int] = field(default_factory=lambda: array("i"))
    starts: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("i"))
    codes: array[int] = field(default_factory=lambda: array("H"))
    lines: array[int] = field(default_factory=lambda: array("i"))
    """The line of each sentence, over all its files."""

    def add(self, sentence: Raw, file: InputFile, skips: Skips, left: Left) -> None:
        """Add a sentence, without its empty words; one with a word that has no tag is left out and counted.

        Raises `CorpusError` for what is no tag.
        """
        if any(tag in NO_TAG for tag in sentence.tags):
            place = next(i for i, tag in enumerate(sentence.tags) if tag in NO_TAG)
            left.first = left.first or sentence.line
            left.without_tag += 1
            skips.add(
                file.name, [sentence.line], f"the word '{shown(sentence.words[place])[:40]}' has no tag: sentence left out"
            )
            return
        seen = [visible(word) for word in sentence.words]
        if not all(seen):
            left.empty += seen.count(False)
            skips.add(file.name, [sentence.line] * seen.count(False), "a word without characters: left out of its sentence")
            if not any(seen):
                return
        text, spans = joined(sentence.words, sentence.glued)
        own = [(span, tag) for span, tag, there in zip(spans, sentence.tags, seen, strict=True) if there]
        left.sentences += 1
        left.words += len(own)
        left.hidden += sentence.words.count("_")
        self.ids.append(sentence.id)
        self.texts.append(text)
        self.lengths.append(len(own))
        self.lines.append(sentence.line)
        for (start, end), tag in own:
            self.starts.append(start)
            self.ends.append(end)
            self.codes.append(self.tags.code(tag, file, sentence.line))
        if len(self.ids) >= FLUSHED:
            self.flush()

    def flush(self) -> None:
        """Turn what was added since the last call into a batch of Arrow arrays."""
        if not self.ids:
            return
        count = len(self.ids)
        offsets = pa.array(np.concatenate(([0], np.cumsum(np.frombuffer(self.lengths, np.int32)))), pa.int32())
        names = pa.array(list(self.tags.codes), pa.string())
        tags = names.take(pa.array(np.frombuffer(self.codes, np.uint16).copy()))
        columns = [
            pa.array([self.language] * count, pa.string()),
            pa.array([self.part] * count, pa.string()),
            pa.array(self.ids, pa.string()),
            pa.array(self.texts, pa.string()),
            *(pa.ListArray.from_arrays(offsets, pa.array(np.frombuffer(a, np.int32).copy())) for a in (self.starts, self.ends)),
            pa.ListArray.from_arrays(offsets, tags),
        ]
        self.batches.append(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))
        self.ids, self.texts = [], []
        self.lengths, self.starts, self.ends, self.codes = array("i"), array("i"), array("i"), array("H")

    def table(self) -> pa.Table:
        """All its sentences."""
        self.flush()
        return pa.Table.from_batches(self.batches, SCHEMA)


def visible(word: str) -> bool:
    """Whether a word holds more than spaces, controls and marks of direction, which no model's pieces cover."""
    return word.isascii() and bool(word.strip()) or any(unicodedata.category(c) not in INVISIBLE for c in word)


def joined(words: Sequence[str], glued: Sequence[bool]) -> tuple[str, list[tuple[int, int]]]:
    """The text of some words and where each stands in it; a space follows every word that is not glued and has text."""
    text, spans, end = [], [], 0
    for place, word in enumerate(words):
        spans.append((end, end + len(word)))
        space = " " if word and not glued[place] and place < len(words) - 1 else ""
        text.append(word + space)
        end = end + len(word) + len(space)
    return "".join(text), spans


def rows(file: InputFile) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, block by block. Raises `CorpusError` at one that is not UTF-8 or holds a NUL."""
    for block in blocks(file):
        for line, row in zip(block.lines, block.rows, strict=True):
            if isinstance(row, BrokenRowError):
                raise CorpusError(f"The line is broken ({row}).", remedy=UTF8, file=file.name, line=line)
            yield line, row


def check_length(words: Sequence[str], file: InputFile, line: int) -> None:
    """Raise `CorpusError` where what should be a sentence has so many words that blank lines must be missing."""
    if len(words) > MAX_SENTENCE:
        raise CorpusError(
            f"The sentence has more than {MAX_SENTENCE:,} words.",
            remedy="Put a blank line after each sentence.",
            file=file.name,
            line=line,
        )
