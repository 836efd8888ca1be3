"""From what every reader yields, sentence by sentence, to Arrow arrays: nothing but these is held while a file is read."""

from __future__ import annotations

import unicodedata
from array import array
from dataclasses import dataclass, field
from itertools import accumulate, compress, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from isogloss.backend.corpora.parallel.checks import Sample
from isogloss.backend.corpora.shared.blocks import BrokenRowError, blocks
from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.corpora.shared.textlines import UTF8
from isogloss.backend.corpora.tagged.corpus import SCHEMA
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.corpora.languages.languages import Language
    from isogloss.backend.corpora.parallel.assemble import Skips
    from isogloss.backend.corpora.shared.inputs import InputFile

MAX_SENTENCE = 20_000
"""Words of one sentence; more are a file without blank lines."""
MAX_TAGS = 500
MAX_TAG = 100
"""Characters of one tag."""
FLUSHED = 20_000
"""Sentences after which those read so far become Arrow arrays."""
SAMPLED = 100
"""Sentences of a file that are looked at for their script and for damage."""
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
    first: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Tag → the file where it was first read, and the line of that sentence."""

    def code(self, tag: str, file: InputFile, line: int) -> int:
        """Return the number of a tag. Raises `CorpusError` where there are so many, or so long a one, that they are no tags."""
        known = self.codes.get(tag)
        if known is not None:
            return known
        many, long = len(self.codes) >= MAX_TAGS, len(tag) > MAX_TAG
        if many or long:
            problem = f"There are more than {MAX_TAGS} different tags" if many else f"A tag has {len(tag):,} characters"
            raise CorpusError(
                f"{problem}, here '{printable(tag[:40])}'.",
                remedy="Check that the tags' column holds tags.",
                file=file.name,
                line=line,
            )
        self.first[tag] = file.name, line
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
    """The line of every sentence, those of earlier batches too."""
    files: list[tuple[int, str]] = field(default_factory=list)
    """For each file its first sentence's number in the pile, from 0, and its name."""

    def add(self, sentence: Raw, file: InputFile, skips: Skips, left: Left) -> None:
        """Add a sentence, without its empty words; one with a word that has no tag is left out and counted.

        Raises `CorpusError` for what is no tag.
        """
        if not NO_TAG.isdisjoint(sentence.tags):
            place = next(i for i, tag in enumerate(sentence.tags) if tag in NO_TAG)
            left.first = left.first or sentence.line
            left.without_tag += 1
            reason = f"the word '{printable(sentence.words[place])[:40]}' has no tag: sentence left out"
            skips.add(file.name, [sentence.line], reason, kind="a word has no tag")
            return
        words, glued, tags = sentence.words, sentence.glued, sentence.tags
        if not ("".join(words).isprintable() and all(words)):  # as most are: no word can be all controls, or none
            there = [visible(word) for word in words]
            if lacking := there.count(False):
                left.empty += lacking
                reason = "a word without characters: left out of its sentence"
                skips.add(file.name, [sentence.line] * lacking, reason, lost=False)
                words, tags = list(compress(words, there)), list(compress(tags, there))
                glued = list(compress(glued, there))
        if not tags:
            return
        text, starts, ends = joined(words, glued)
        left.sentences += 1
        left.words += len(tags)
        left.hidden += words.count("_")
        self.ids.append(sentence.id)
        self.texts.append(text)
        self.lengths.append(len(tags))
        if not self.files or self.files[-1][1] != file.name:
            self.files.append((len(self.lines), file.name))
        self.lines.append(sentence.line)
        self.starts.extend(starts)
        self.ends.extend(ends)
        self.codes.extend([self.tags.code(tag, file, sentence.line) for tag in tags])
        if len(self.ids) >= FLUSHED or len(self.codes) >= MAX_SENTENCE * 50:
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
        """Return all its sentences."""
        self.flush()
        return pa.Table.from_batches(self.batches, SCHEMA)


def samples(pile: Pile, table: pa.Table, name: str, known: Language) -> list[Sample]:
    """Evenly spaced sentences of each file of a pile, whose rows are `table`; `name` is the source's for the language."""
    drawn_samples = []
    for (first, file), (end, _) in pairwise([*pile.files, (len(pile.lines), "")]):
        places = list(range(first, end, max(1, (end - first) // SAMPLED)))
        texts = table["text"].take(pa.array(places)).to_pylist()
        drawn_samples.append(Sample(name, known, file, texts, [pile.lines[place] for place in places]))
    return drawn_samples


def visible(word: str) -> bool:
    """Return whether a word holds more than spaces, controls and marks of direction, which no model's pieces cover."""
    return (word.isascii() and bool(word.strip())) or any(unicodedata.category(c) not in INVISIBLE for c in word)


def joined(words: Sequence[str], glued: Sequence[bool]) -> tuple[str, list[int], list[int]]:
    """Return the text of some words, and where each starts and ends in it, in characters.

    A space follows every word but the last and those that are glued.
    """
    pieces = [word if close else f"{word} " for word, close in zip(words, glued, strict=True)]
    pieces[-1] = words[-1]
    starts = list(accumulate(map(len, pieces), initial=0))[:-1]
    return "".join(pieces), starts, [start + len(word) for start, word in zip(starts, words, strict=True)]


def rows(file: InputFile) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, block by block. Raises `CorpusError` at one that is not UTF-8 or holds a NUL."""
    for block in blocks(file):
        for line, row in zip(block.lines, block.rows, strict=True):
            if isinstance(row, BrokenRowError):
                raise CorpusError(f"The line is broken ({row}).", remedy=UTF8, file=file.name, line=line)
            yield line, row


def too_long(file: InputFile, line: int) -> CorpusError:
    """Return what is wrong where a sentence has so many words that blank lines must be missing."""
    return CorpusError(
        f"The sentence has more than {MAX_SENTENCE:,} words.",
        remedy="Put a blank line after each sentence.",
        file=file.name,
        line=line,
    )
