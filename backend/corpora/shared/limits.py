"""How much one import may hold in memory: one rule for all readers, counted while they read.

A file's size says nothing of what is in it: 300 kB of gzip or Parquet can be gigabytes. So whatever a reader keeps is counted
as it is kept, its text and what a value costs besides, over all files of one import; beyond `ISOGLOSS_IMPORT_MB` it stops.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from backend.errors import CorpusError
from backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUE = 4
"""Bytes that a value takes besides its text and where that ends: where it came from."""
LINE = 8
"""Bytes of a row's number."""
SENTENCE = 24
"""Bytes that a sentence of a language takes while its ids and texts are looked through for what recurs."""
OBJECT = 400
"""Bytes of a row that Python holds as objects, in dictionaries: pairs of words, examples, links."""
EXAMPLE = 220
"""Bytes of a task's example in one language, beside its texts, which stay where they were read."""
PIECE = 1 << 20
LONGEST_LINE = 8 << 20
"""Bytes; no sentence and no row of a table is so long."""
LONGEST_TEXT = 64 << 20
"""Bytes of a file that is read as one text."""


class TooLargeError(CorpusError):
    """More than one import may hold."""


def _most() -> int:
    return settings().import_mb * 1_000_000


@dataclass
class Meter:
    """What one import holds so far, in bytes."""

    most: int = field(default_factory=_most)
    held: int = 0

    def hold(self, file: str | None, size: int) -> None:
        """Count `size` bytes more. Raises `TooLargeError` where they are too many."""
        self.held += size
        if self.held > self.most:
            raise too_large(file)


_meter: ContextVar[Meter] = ContextVar("meter")


@contextmanager
def one_import() -> Iterator[Meter]:
    """Count all that is held inside the block as one import; inside another's block, as part of that."""
    if (outer := _meter.get(None)) is not None:
        yield outer
        return
    token = _meter.set(Meter())
    try:
        yield _meter.get()
    finally:
        _meter.reset(token)


def meter() -> Meter:
    """Return the meter of the import that is being read; of a file that is read by itself, a new one."""
    return _meter.get(None) or Meter()


def most_expanded(*, streamed: bool = False) -> int:
    """Return how many bytes an import's files may be, unpacked: what is not held of them (names, marks) included.

    Of files that are `streamed`, tokens with their numbers or tags, less than half is held.
    """
    return 2 * _most() if streamed else _most()


def too_large(file: str | None) -> TooLargeError:
    """Return what is wrong where an import is too large."""
    return TooLargeError(
        f"Unpacked, this is more than one import may hold ({settings().import_mb:,} MB, and some for each value).",
        remedy="Take a smaller part, or have the operator raise ISOGLOSS_IMPORT_MB.",
        file=file,
    )
