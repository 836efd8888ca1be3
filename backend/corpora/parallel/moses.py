"""Pairs of line-aligned files, as Moses and OPUS name them: `corpus.de-en.de` and `corpus.de-en.en`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel.assemble import Column, assemble
from isogloss.backend.corpora.parallel.plain import align
from isogloss.backend.corpora.shared.cells import numbered
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

CODE = r"[A-Za-z]{2,3}(?:_[A-Za-z]{2,4})?"
PAIR = re.compile(rf"(?P<pair>(?:.*[._-])?(?P<a>{CODE})-(?P<b>{CODE}))\.(?P<side>{CODE})(?:\.txt)?")


@dataclass(frozen=True)
class Half:
    """One file of a pair."""

    pair: str
    """Its name without the side: `corpus.de-en`."""
    languages: tuple[str, str]
    side: str
    file: InputFile


def half_of(file: InputFile) -> Half | None:
    """Return what the file's name says, or None where it is no half of a pair."""
    match = PAIR.fullmatch(file.base)
    if not match or match["side"] not in (match["a"], match["b"]) or match["a"] == match["b"]:
        return None
    return Half(match["pair"], (match["a"], match["b"]), match["side"], file)


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the files that are halves of pairs."""
    return {f: Evidence.PATTERN for f in files if half_of(f)}


def read(files: Sequence[InputFile], kind: str = "Moses pairs") -> ParallelCorpus:
    """Return the corpus in files that `recognise` returned; `kind` is what its report calls it.

    Pairs that share a file's whole content (the English of `x.de-en` and of `x.fi-en`) are the same sentences: they become
    one multilingual set. Others are kept apart by ids such as `x.de-en.1`.
    Raises `CorpusError` for a missing half, and as `plain.align` does.
    """
    pairs: dict[str, list[Half]] = {}
    for file in files:
        if found := half_of(file):
            pairs.setdefault(found.pair, []).append(found)
    groups: dict[str, dict[str, bytes]] = {}  # the pair that came first → each of its languages' content
    columns: list[Column] = []
    for name in sorted(pairs):
        columns_of_pair = {column.name: column for column in _pair(name, pairs[name])}
        contents = {side: _content(column) for side, column in columns_of_pair.items()}
        group = next((g for g, have in groups.items() if _joins(contents, have)), name)
        have = groups.setdefault(group, {})
        prefix = f"{group}." if len(pairs) > 1 else ""
        columns += [replace(c, ids=numbered(len(c.ids), prefix)) for side, c in columns_of_pair.items() if side not in have]
        have.update(contents)
    return assemble(kind, columns)


def _pair(name: str, halves: Sequence[Half]) -> list[Column]:
    """Return both columns of a pair."""
    sides = [h.side for h in halves]
    for side in halves[0].languages:
        if sides.count(side) != 1:
            problem = f"Its other half, {name}.{side}, is missing." if side not in sides else f"{name}.{side} is there twice."
            raise CorpusError(problem, remedy="Drop both files of the pair, once each.", file=halves[0].file.name)
    return align([(h.side, h.file) for h in sorted(halves, key=lambda h: h.side)])


def _joins(contents: dict[str, bytes], have: dict[str, bytes]) -> bool:
    """Return whether a pair shares a language's whole text with a group, and contradicts it in none."""
    same = [have[side] == content for side, content in contents.items() if side in have]
    return bool(same) and all(same)


def _content(column: Column) -> bytes:
    hashed = blake2b(digest_size=16)
    for text in column.texts:
        hashed.update((text or "").encode())
        hashed.update(b"\n")
    return hashed.digest()


FORMAT = Format("Moses pairs", "`corpus.de-en.de` with `corpus.de-en.en`", recognise, read)
