"""What a shard freed goes back to the system: glibc keeps it for the thread that freed it."""

from __future__ import annotations

import ctypes
import gc
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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
