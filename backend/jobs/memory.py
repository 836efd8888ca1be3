"""What a shard freed goes back to the system: glibc keeps it for the thread that freed it."""

from __future__ import annotations

import ctypes
import gc
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


PAUSE_SECONDS = 5.0
"""Computing between two times that memory is given back: it takes a tenth of a second and more, as long as a small shard."""
_since = [PAUSE_SECONDS]


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
    if (trim := _trim()) is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # another C library, or another system
        return None
    return found
