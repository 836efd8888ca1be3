"""The values of a column, held as Arrow holds them: their text and a few bytes each, where a list takes 60 and more.

Nothing else tells them from a list: they have a length, and are read by place, in slices and in order.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, overload

import pyarrow as pa
import pyarrow.compute as pc

TOGETHER = 4096
"""Values that become one chunk."""
FEW = 512
"""Values that become one chunk where nothing is known of their length."""
CHARACTERS = 1 << 20
"""Of them together, after which they become one sooner."""


class Cells(Sequence[Any]):
    """Values in chunks: Arrow arrays, of which some (`coded`) hold JSON in place of what is no text."""

    def __init__(self, chunks: Sequence[pa.Array] = (), coded: Iterable[int] = ()) -> None:
        self.chunks, self.coded = list(chunks), frozenset(coded)
        self._starts = [0, *accumulate(map(len, self.chunks))]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = place + len(self) if place < 0 else place
        if not 0 <= place < len(self):
            raise IndexError(place)
        chunk = bisect_right(self._starts, place) - 1
        value = self.chunks[chunk][place - self._starts[chunk]].as_py()
        return json.loads(value) if chunk in self.coded else value

    def __iter__(self) -> Iterator[Any]:
        for number, chunk in enumerate(self.chunks):
            for start in range(0, len(chunk), TOGETHER):
                values = chunk.slice(start, TOGETHER).to_pylist()
                yield from map(json.loads, values) if number in self.coded else values

    def strings(self) -> pa.ChunkedArray | None:
        """Return the values as one column of strings, without a copy; None where some are no text."""
        if self.coded or not all(pa.types.is_string(chunk.type) for chunk in self.chunks):
            return None
        return pa.chunked_array(self.chunks, pa.string())


class Builder:
    """Cells that are added one after the other."""

    def __init__(self) -> None:
        self._pending: list[Any] = []
        self._characters = self._before = 0
        self._chunks: list[pa.Array] = []
        self._coded: list[int] = []

    def __len__(self) -> int:
        return self._before + len(self._pending)

    def append(self, value: Any) -> None:
        """Add a value."""
        self._pending.append(value)
        if isinstance(value, str):
            self._characters += len(value)
        if len(self._pending) >= TOGETHER or self._characters >= CHARACTERS:
            self._flush()

    def extend(self, values: Sequence[Any]) -> None:
        """Add values that are few enough to stand in memory together."""
        self._flush()
        self._pending = list(values)
        self._flush()

    def pad(self, length: int) -> None:
        """Add missing values until there are `length`."""
        if length > len(self):
            self._flush()
            self._keep(pa.nulls(length - len(self), pa.string()))

    def done(self) -> Cells:
        """Return all values."""
        self._flush()
        return Cells(self._chunks, self._coded)

    def _flush(self) -> None:
        if not self._pending:
            return
        values, self._pending, self._characters = self._pending, [], 0
        try:
            chunk = pa.array(values, pa.string())
        except (pa.ArrowException, UnicodeEncodeError, TypeError):  # a number, a list, half a character
            self._coded.append(len(self._chunks))
            chunk = pa.array(map(json.dumps, values), pa.string())
        self._keep(chunk)

    def _keep(self, chunk: pa.Array) -> None:
        self._chunks.append(chunk)
        self._before += len(chunk)


def held(values: Iterable[Any]) -> Cells:
    """Return values as cells."""
    builder, source = Builder(), iter(values)
    while some := list(islice(source, FEW)):
        builder.extend(some)
    return builder.done()


def drained(values: Sequence[Any]) -> Iterator[Any]:
    """Yield values in order; of cells, each chunk is let go of once it is read: they are empty then."""
    if not isinstance(values, Cells):
        yield from values
        return
    chunks, coded = values.chunks, values.coded
    values.chunks, values._starts = [], [0]
    for number in range(len(chunks)):
        yield from Cells([chunks.pop(0)], [0] if number in coded else [])


def numbered(count: int, prefix: str) -> Cells:
    """Return the ids `prefix` and 1, 2 … as cells, without writing each of them."""
    chunks = []
    for start in range(1, count + 1, 1 << 16):
        numbers = pa.array(range(start, min(start + (1 << 16), count + 1)), pa.int64()).cast(pa.string())
        chunks.append(pc.binary_join_element_wise(prefix, numbers, "") if prefix else numbers)
    return Cells(chunks)
