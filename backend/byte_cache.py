"""A cache bounded by the bytes that its values take: one pair matrix of 200 languages weighs as much as a thousand means."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class ByteCache(Generic[T]):
    """Values by key. Once they take more than `limit` bytes, the least recently used are dropped; safe between threads."""

    def __init__(self, limit: int, size: Callable[[T], int]) -> None:
        self.limit, self.size, self.bytes = limit, size, 0
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, made where it is not there. What `make` raises is raised, and not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()  # outside the lock: it may take seconds, and may ask for other keys
        weight = self.size(value)
        with self._lock:
            if key not in self._values and weight <= self.limit:
                self._values[key] = value, weight
                self.bytes += weight
                while self.bytes > self.limit:
                    self.bytes -= self._values.popitem(last=False)[1][1]
        return value

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._values.clear()
            self.bytes = 0
