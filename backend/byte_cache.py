"""A cache bounded by the bytes that its values take: one pair matrix of 200 languages weighs as much as a thousand means."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import fields, is_dataclass
from sys import getsizeof
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")
SAMPLED = 1000
"""Of a longer list so many are weighed, and stand for the others: of 50,000 that takes longer than to make them."""


def bytes_of(value: object) -> int:
    """Return about how many bytes a value takes: a frame, an array, or lists, dictionaries and records of such."""
    match value:
        case pd.DataFrame():
            return int(value.memory_usage().sum())
        case np.ndarray():
            return value.nbytes
        case list() | tuple():
            some = value[:: 1 + len(value) // SAMPLED]
            return sum(map(bytes_of, some)) * len(value) // max(1, len(some))
        case dict():
            return sum(map(bytes_of, value.values()))
    if is_dataclass(value) and not isinstance(value, type):
        return sum(bytes_of(getattr(value, field.name)) for field in fields(value))
    return getsizeof(value)


class ByteCache(Generic[T]):
    """Values by key. Once they take more than `limit` bytes, the least recently used are dropped; safe between threads."""

    def __init__(self, limit: int, size: Callable[[T], int]) -> None:
        self.limit, self.size, self.bytes = limit, size, 0
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, tuple[threading.RLock, int]] = {}
        """The lock of each value that is being made, and how many threads want it."""

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, made where it is not there, once for all threads that ask for it meanwhile.

        What `make` raises is raised, and not kept: the next thread that waits makes it anew.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
            lock, wanted = self._making.get(key, (threading.RLock(), 0))
            self._making[key] = lock, wanted + 1
        try:
            with lock:  # not that of all: it may take seconds, and may ask for other keys
                return self._made(key, make)
        finally:
            with self._lock:
                lock, wanted = self._making[key]
                self._making[key] = lock, wanted - 1
                if wanted == 1:
                    del self._making[key]

    def _made(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._values:
                return self._values[key][0]
        value = make()
        weight = self.size(value)
        with self._lock:
            if key not in self._values and weight <= self.limit:
                self._values[key] = value, weight
                self.bytes += weight
                while self.bytes > self.limit:
                    self.bytes -= self._values.popitem(last=False)[1][1]
        return value

    def kept(self, key: Hashable) -> T | None:
        """Return the value of a key where it is there, None where it is not: asking first would let it be dropped between."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._values.clear()
            self.bytes = 0
