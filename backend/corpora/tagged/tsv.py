"""Two columns, a word and its tag, and a blank line between sentences: XTREME's files, and WikiAnn's with `en:` before words.

XTREME (Hu et al. 2020) has `train-en.tsv`, `dev-en.tsv`, and `test-en.tsv` without tags. WikiAnn (Pan et al. 2017; Rahimi et
al. 2019) marks every word with its language.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from isogloss.backend.corpora.tagged.sentences import MAX_SENTENCE, Raw, rows, too_long
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.corpora.shared.inputs import InputFile

PREFIX = re.compile(r"([a-z]{2,3}(?:-[a-z0-9]{2,8})*):")
LOOKED_AT = 200
"""Words that decide whether all are marked with a language, as they are where so great a share is:"""
MOSTLY = 0.9
DOCUMENT = "-DOCSTART-"
"""Stands for a new document in files after CoNLL-2003; no word."""


def sentences(file: InputFile, prefix: str = "") -> Iterator[Raw]:
    """The sentences of a file, numbered from 1; `prefix` is taken off the words that begin with it.

    The file does not say where spaces stood, so one follows every word. A row of one column is a word without a tag. A line
    that begins with `#` and has no tab is a comment. Raises `CorpusError` with file and line for a row of more columns.
    """
    start, number = 0, 0
    words: list[str] = []
    tags: list[str] = []
    for line, row in rows(file):
        if not row.strip():
            if words:
                number += 1
                yield Raw(start, str(number), words, [False] * len(words), tags)
                words, tags = [], []
            continue
        word, tab, tag = row.partition("\t")
        if (not tab and row[0] == "#" and len(row) > 1) or word == DOCUMENT:
            continue
        if "\t" in tag and "\t" in tag.rstrip():
            raise CorpusError(
                f"The row has {row.count(chr(9)) + 1} columns, not 2.",
                remedy="Write a word, one tab and its tag; whole CoNLL-U files have ten columns.",
                file=file.name,
                line=line,
            )
        start = start if words else line
        words.append((word.removeprefix(prefix) if prefix else word).strip())
        tags.append(tag.strip())
        if len(words) > MAX_SENTENCE:
            raise too_long(file, line)
    if words:
        yield Raw(start, str(number + 1), words, [False] * len(words), tags)


def prefix_of(file: InputFile) -> str:
    """Return what nine in ten of the first words begin with, such as `en:`, in WikiAnn's files; nothing in others."""
    prefixes, seen = Counter[str](), 0
    for _, row in rows(file):
        word, tab, _ = row.partition("\t")
        if not word.strip() or not tab:
            continue
        seen += 1
        if match := PREFIX.match(word):
            prefixes[match[0]] += 1
        if seen == LOOKED_AT:
            break
    prefix, count = prefixes.most_common(1)[0] if prefixes else ("", 0)
    return prefix if count >= MOSTLY * seen else ""
