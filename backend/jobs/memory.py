"""What was freed goes back to the system: glibc keeps it for the thread that freed it."""

from __future__ import annotations

import ctypes
import gc
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable


MAPPED = 4 << 20
"""Bytes from which on an array of a server has pages of its own, which go back once it is freed: of less, such as numbers that
are permuted a megabyte at a time, to ask the system for each takes as long again."""
TRIMMED = 16 << 20
"""Bytes at the end of an arena that are not given back by themselves, for the same reason."""
ARENAS = 2
"""Places that a server's threads have what is smaller from: usual are eight a core."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
PAUSE_SECONDS = 5.0
"""Computing between two times that memory is given back: it takes a tenth of a second and more, as long as a small shard."""
_since = [PAUSE_SECONDS]


def share_arenas() -> None:
    """Have all threads of a server share what they allocate from: before its threads start, and with glibc alone.

    Else each thread that draws a page has an arena, and keeps in it what large figures were made of: glibc itself raises the
    size from which on arrays have pages of their own to 32 MB.
    """
    if (set_to := _of_c_library("mallopt")) is not None:
        set_to(_MMAP_THRESHOLD, MAPPED)
        set_to(_TRIM_THRESHOLD, TRIMMED)
        set_to(_ARENA_MAX, ARENAS)


def give_back_after(seconds: float) -> None:
    """Return freed memory to the system after a shard that took `seconds`, unless that was done `PAUSE_SECONDS` ago or less."""
    _since[0] += seconds
    if _since[0] >= PAUSE_SECONDS:
        _since[0] = 0.0
        give_back()


def give_back() -> None:
    """Return freed memory to the system, that of every thread; does nothing where the C library is not glibc.

    Each thread has an arena of its own and keeps in it what it freed, also those that libraries start for a shard.
    """
    gc.collect()  # a module and its hooks may hold each other
    if (trim := _of_c_library("malloc_trim")) is not None:
        trim(0)


@lru_cache(maxsize=2)
def _of_c_library(name: Literal["malloc_trim", "mallopt"]) -> Callable[..., int] | None:
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return None
    return found
