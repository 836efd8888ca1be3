"""Topographic similarity: do similar meanings have similar messages?

Spearman's correlation, over all pairs of objects, of the distance of their meanings (how many attributes differ) with the
distance of their messages (Levenshtein). Brighton & Kirby 2006; with these distances Lazaridou et al. 2018, where the meanings'
is the cosine of one-hot attributes, which ranks pairs in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.correlation import spearman

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

PAIRS = 1 << 16
"""Pairs of messages that are compared together: their rows of the table stay in the cache."""


def topographic_similarity(meanings: ArrayLike, ids: ArrayLike, starts: ArrayLike) -> float:
    """Between -1 and 1; 1 where messages differ the more, the more meanings do. nan where all distances of a side are equal.

    Args:
        meanings: Attribute values `[objects, attributes]`; equal or different is all that counts.
        ids: The symbols of all messages, one message after the other `[symbols]`.
        starts: Message `i`, that of object `i`, is `ids[starts[i]:starts[i + 1]]`: `[objects + 1]`. It can be empty.

    Takes time and memory by the square of the number of objects: draw a sample of some hundred. Raises ValueError where the
    arrays do not fit each other.
    """
    values, symbols, bounds = np.asarray(meanings), np.asarray(ids), np.asarray(starts)
    if values.ndim != 2 or bounds.shape != (len(values) + 1,):
        raise ValueError(f"{len(bounds) - 1} messages are not one for each row of meanings of shape {values.shape}.")
    first, second = np.triu_indices(len(values), 1)
    apart = hamming_distances(values, first, second)
    return spearman(apart, edit_distances(symbols, bounds, first, second)).value


def hamming_distances(values: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """In how many columns the rows `first` and `second` of `values` differ, int64 `[pairs]`."""
    apart = np.zeros(len(first), np.int64)
    for column in np.ascontiguousarray(values.T):
        apart += column[first] != column[second]
    return apart


def edit_distances(
    ids: NDArray[np.integer], starts: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Levenshtein's distance of messages `first` and `second`, pair by pair: int64 `[pairs]`.

    The fewest symbols to insert, leave out or replace. Messages as in `topographic_similarity`. Raises ValueError where
    `starts` are not bounds of messages in `ids`.
    """
    lengths = np.diff(starts)
    if len(starts) < 1 or starts[0] < 0 or starts[-1] > len(ids) or (lengths < 0).any():
        raise ValueError("The starts of messages must rise, within their symbols.")
    longest = int(lengths.max(initial=0))
    places = starts[:-1, None] + np.arange(longest)
    there = np.arange(longest) < lengths[:, None]
    grid = np.full(there.shape, -1, np.int64)
    grid[there] = ids[places[there]]
    parts = [
        _edit_distances(grid[one], lengths[one], grid[other], lengths[other])
        for one, other in zip(_parts(first), _parts(second), strict=True)
    ]
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _parts(places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [places[start : start + PAIRS] for start in range(0, len(places), PAIRS)]


def _edit_distances(
    one: NDArray[np.int64], one_length: NDArray[np.int64], other: NDArray[np.int64], other_length: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Fill the edit-distance table of Wagner & Fischer 1974 row by row, all pairs at once; read each pair off at its end."""
    pairs, longest = len(one), one.shape[1]
    columns = np.ascontiguousarray(other.T)
    row = [np.full(pairs, place, np.int16) for place in range(longest + 1)]
    distances = _read_off(row, other_length)
    for step, symbol in enumerate(np.ascontiguousarray(one.T), 1):
        before, row = row, [np.full(pairs, step, np.int16)]
        for place in range(1, longest + 1):
            replaced = before[place - 1] + (symbol != columns[place - 1])
            row.append(np.minimum(replaced, np.minimum(before[place], row[place - 1]) + np.int16(1)))
        ended = one_length == step
        if ended.any():
            distances = np.where(ended, _read_off(row, other_length), distances)
    return distances


def _read_off(row: list[NDArray[np.int16]], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each pair, the table's entry in the column where the other message ends."""
    return np.stack(row)[lengths, np.arange(len(lengths))].astype(np.int64)
