"""How large the files of one import may be. What reading them may take of memory and time is held from outside: `apart`."""

from __future__ import annotations

from isogloss.backend.errors import CorpusError
from isogloss.backend.settings import settings

PIECE = 1 << 20
LONGEST_LINE = 8 << 20
"""Bytes; no sentence and no row of a table is so long."""


class TooLargeError(CorpusError):
    """More than one import may hold."""


def most_held() -> int:
    """Return how many bytes an import's files may be, unpacked, and how many what is read of them."""
    return settings().import_mb * 1_000_000


def most_streamed() -> int:
    """Return the same for files of tokens with their numbers or tags, of which less than half is held."""
    return 2 * most_held()


def too_large(file: str | None) -> TooLargeError:
    """Return what is wrong where an import is too large."""
    return TooLargeError(
        f"Unpacked, this is more than one import may hold ({settings().import_mb:,} MB).",
        remedy="Take a smaller part, or have the operator raise ISOGLOSS_IMPORT_MB.",
        file=file,
    )
