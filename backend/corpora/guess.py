"""What kind of data a file's name and first lines say it is, for who brings it to the shelf of another kind."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Protocol

from isogloss.backend.corpora.dictionaries.layouts import languages_of_name
from isogloss.backend.corpora.parallel import flores, ntrex
from isogloss.backend.corpora.shared.inputs import GZIP
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.kept import KindName

HEAD = 1 << 16
"""Bytes of a file that are looked at."""
MOST = 0.9
"""The share of lines that must be alike."""
NUMBER = re.compile(r"\d+([-.]\d+)?")
TAG = re.compile(r"ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X|_|O|[BI]-[A-Z]+")
"""Universal parts of speech, and entities from their beginning on."""
LINKS = re.compile(r"\d+[-?p]\d+( \d+[-?p]\d+)*")
INTEGERS = re.compile(r"\d+( \d+)+")
LABEL = re.compile(r"(gold_)?labels?(_\w+)?")
TEXT = re.compile(r"(text|sentence|premise|hypothesis)\d?(_\w+)?")


class Rewindable(Protocol):
    """A file of bytes, or what was uploaded."""

    def seek(self, offset: int, /) -> object:
        """Go to a place."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes."""


def other_kind(kind: KindName, name: str, file: Rewindable) -> KindName | None:
    """Return the kind that a file surely is of, where that is another than `kind`; None where it may be. It is rewound."""
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head, HEAD)
        except zlib.error:
            return None
    if b"\0" in head:
        return None
    lines = head.decode("utf-8", "replace")
    found = kind_of(name, lines if len(head) < HEAD else lines.rpartition("\n")[0] + "\n")
    return None if found == kind or (kind, found) == ("corpus", "task") else found  # a task's sentences are parallel too


def kind_of(name: str, head: str) -> KindName | None:
    """Return the kind of data that a file of this name surely is, by its first whole lines; None where it may be any."""
    lines = head.split("\n")
    filled = [line.rstrip("\r") for line in lines if line.strip()]
    rows = [line.split("\t") for line in filled if not line.startswith("# ")]
    if _most([len(row) == 10 and NUMBER.fullmatch(row[0]) is not None for row in rows]):
        return "tagged corpus"
    if len(filled) < len(lines) - 1 and _most([len(row) == 2 and TAG.fullmatch(row[1]) is not None for row in rows]):
        return "tagged corpus"
    if _most([LINKS.fullmatch(line) is not None for line in filled]):
        return "alignment"
    if _most([INTEGERS.fullmatch(line) is not None or _is_array(line) for line in filled]):
        return "emergent corpus"
    if languages_of_name(name) and _most([len(line.split()) == 2 for line in filled]):
        return "dictionary"
    header = [cell.strip().lower() for cell in re.split("[\t,]", filled[0])] if filled else []
    if any(map(LABEL.fullmatch, header)) and any(map(TEXT.fullmatch, header)):
        return "task"
    base = re.split(r"[/\\]", name)[-1]
    return "corpus" if ntrex.TEXT.fullmatch(base) or flores.TEXT.fullmatch(base) else None


def _most(alike: Sequence[bool]) -> bool:
    return sum(alike) > MOST * len(alike)


def _is_array(line: str) -> bool:
    if not line.startswith("["):
        return False
    try:
        value = parse_json(line)
    except ValueError:
        return False
    return isinstance(value, list) and all(isinstance(each, int | str) for each in value)
