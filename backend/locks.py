"""Locks of open files, by whatever the system has: they end with the process that holds them, however that dies."""

from __future__ import annotations

import os
import time
from importlib import import_module
from importlib.util import find_spec
from typing import IO, Any

_POSIX: Any = import_module("fcntl") if find_spec("fcntl") else None
_WINDOWS: Any = None if _POSIX else import_module("msvcrt")
_PLACE = 1 << 40
"""The byte that stands for the file on Windows, which would else keep others from reading what is locked."""


def try_lock(handle: IO[Any]) -> bool:
    """Lock an open file for this process alone; False where another has it. It ends with the process, however that dies."""
    if _POSIX is None:
        return _on_windows(handle, _WINDOWS.LK_NBLCK)
    try:
        _POSIX.flock(handle, _POSIX.LOCK_EX | _POSIX.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(handle: IO[Any]) -> None:
    """Lock an open file for this process alone, as soon as no other has it."""
    if _POSIX is not None:
        _POSIX.flock(handle, _POSIX.LOCK_EX)
        return
    while not try_lock(handle):
        time.sleep(0.05)


def is_locked(handle: IO[Any]) -> bool:
    """Return whether another open file has the lock. Two that ask at once do not take each other for its owner.

    On Windows, which has no lock that is shared, they may.
    """
    if _POSIX is None:
        if not try_lock(handle):
            return True
        _on_windows(handle, _WINDOWS.LK_UNLCK)
        return False
    try:
        _POSIX.flock(handle, _POSIX.LOCK_SH | _POSIX.LOCK_NB)
    except BlockingIOError:
        return True
    _POSIX.flock(handle, _POSIX.LOCK_UN)
    return False


def _on_windows(handle: IO[Any], how: int) -> bool:
    """Lock or unlock the one byte, and leave the file's position as it is; False where another has it."""
    before = os.lseek(handle.fileno(), 0, os.SEEK_CUR)
    os.lseek(handle.fileno(), _PLACE, os.SEEK_SET)
    try:
        _WINDOWS.locking(handle.fileno(), how, 1)
    except OSError:
        return False
    finally:
        os.lseek(handle.fileno(), before, os.SEEK_SET)
    return True
