"""What the store does once nobody waits: a thread of each process that has something to do, which ends with the process."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

PAUSE = 5.0
"""Seconds before it begins: by then the page that asked is drawn."""
SHARE = 4
"""It rests so many times as long as it worked."""

_waiting: deque[tuple[Hashable, Callable[[], None]]] = deque()
_keys: set[Hashable] = set()
_thread: threading.Thread | None = None
_lock = threading.Lock()


def do(key: Hashable, work: Callable[[], None]) -> None:
    """Do something later, once for all that ask for it by the same key meanwhile."""
    global _thread
    with _lock:
        if key in _keys:
            return
        _keys.add(key)
        _waiting.append((key, work))
        if _thread is None or not _thread.is_alive():  # a process that was forked has none
            _thread = threading.Thread(target=_work, name="store-later", daemon=True)
            _thread.start()


def _one() -> bool:
    with _lock:
        if not _waiting:
            return False
        key, work = _waiting.popleft()
        _keys.discard(key)
    work()
    return True


def _work() -> None:
    time.sleep(PAUSE)
    while True:
        started = time.monotonic()
        if not _one():
            time.sleep(PAUSE)
        time.sleep(SHARE * (time.monotonic() - started))
