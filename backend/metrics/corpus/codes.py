"""A corpus of symbols as two flat arrays, its symbols numbered without gaps: what the other corpus statistics start from.

Utterance `u` is `ids[starts[u]:starts[u + 1]]`; it may be empty. Ids may be any integers, of which a few may be huge: nothing
here or in the other `corpus_` modules takes memory by the size of an id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

CHUNK = 1 << 20
"""Tokens that are worked on at once where several temporary arrays are needed."""


@dataclass(frozen=True, eq=False)
class CodedCorpus:
    """Symbol `codes[i]` of token `i` is the integer `symbols[codes[i]]` of the corpus that was given."""

    codes: NDArray[np.int32]
    """[tokens], 0 to types - 1"""
    starts: NDArray[np.int64]
    """[utterances + 1]"""
    symbols: NDArray[np.int64]
    """[types], ascending; each occurs"""

    @property
    def tokens(self) -> int:
        """Count the symbols of all utterances together: N."""
        return len(self.codes)

    @property
    def types(self) -> int:
        """Count the different symbols: V."""
        return len(self.symbols)

    @property
    def utterances(self) -> int:
        """Count the utterances, empty ones included: U."""
        return len(self.starts) - 1

    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each utterance: [utterances]."""
        return np.diff(self.starts)

    def counts(self) -> NDArray[np.int64]:
        """Return how often each symbol occurs: [types], none 0."""
        return tally(self.codes, self.types)

    def blocks(self, tokens: int = CHUNK) -> Iterator[tuple[int, int]]:
        """Ranges of utterances of about so many tokens, one after the other; a longer utterance is a block by itself."""
        at = 0
        while at < self.utterances:
            end = int(np.searchsorted(self.starts, self.starts[at] + tokens, side="right")) - 1
            yield at, max(end, at + 1)
            at = max(end, at + 1)


def code(ids: ArrayLike, starts: ArrayLike) -> CodedCorpus:
    """Return the corpus of tokens `ids` [tokens] in utterances that begin at `starts` [utterances + 1], from 0 to the tokens.

    Raises ValueError where the arrays are not integers, not of one dimension, or do not fit each other.
    """
    tokens, bounds = np.asarray(ids), np.asarray(starts)
    if not tokens.size:
        tokens = tokens.astype(np.int32)  # an empty list is an array of floats
    if tokens.ndim != 1 or bounds.ndim != 1 or not _integers(tokens) or not _integers(bounds):
        raise ValueError("A corpus is two arrays of integers of one dimension: its tokens, and where utterances start.")
    if tokens.dtype == np.uint64 and tokens.max(initial=0) > np.iinfo(np.int64).max:
        raise ValueError("An id is beyond the signed integers of 64 bits.")
    if len(tokens) > np.iinfo(np.int32).max:
        raise ValueError(f"{len(tokens):,} tokens are more than are counted here, 2,147,483,647.")
    bounds = bounds.astype(np.int64, copy=False)
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != len(tokens) or (np.diff(bounds) < 0).any():
        raise ValueError(f"The starts of utterances never fall, from 0 to the {len(tokens):,} tokens.")
    symbols, codes = _symbols(tokens)
    return CodedCorpus(codes, bounds, symbols)


def tally(values: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Return how often each number below `size` occurs: [size]."""
    step = CHUNK if size <= CHUNK else max(len(values), 1)  # np.bincount makes 64-bit numbers of all that it is given
    found = np.zeros(size, np.int64)
    for at in range(0, len(values), step):
        found += np.bincount(values[at : at + step], minlength=size)
    return found


def entropy_bits(counts: ArrayLike) -> float:
    """Shannon entropy in bits of the shares of `counts`, by the plug-in estimate; 0 where nothing was counted.

    It is too low where symbols are many and tokens few, by about (types - 1) / (2 · tokens · ln 2) bits (Miller 1955).
    """
    n = np.asarray(counts)
    total, weighted = float(n.sum()), 0.0
    for at in range(0, len(n), CHUNK):
        part = n[at : at + CHUNK].astype(np.float64)
        weighted += float(part @ np.log2(np.where(part > 0, part, 1.0)))
    return max(0.0, float(np.log2(total)) - weighted / total) if total else 0.0


def number_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, ascending, and each key's place among them, for which the array of the keys is used again."""
    order = np.argsort(keys)
    keys[:] = keys[order]
    steps = rises(keys)
    distinct = keys[steps]
    keys[order] = np.cumsum(steps)
    keys -= 1
    return distinct, keys


def rises(ordered: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return where a sorted array begins another value; the first place always does."""
    steps = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=steps[1:])
    return steps


def _symbols(ids: NDArray[np.generic]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct ids, ascending, and each id's place among them."""
    if not len(ids):
        return np.empty(0, np.int64), np.empty(0, np.int32)
    least, span = int(ids.min()), int(ids.max()) - int(ids.min()) + 1
    if span > max(1 << 20, 2 * len(ids)):  # a table of all integers between would be larger than the corpus
        distinct, places = number_keys(ids.astype(np.int64))
        return distinct, places.astype(np.int32)
    seen = np.zeros(span, bool)
    for at in range(0, len(ids), CHUNK):
        seen[ids[at : at + CHUNK].astype(np.int64) - least] = True
    symbols = np.flatnonzero(seen) + least
    if least == 0 and span == len(symbols):
        return symbols, ids.astype(np.int32, copy=False)
    table = np.cumsum(seen, dtype=np.int32) - 1
    codes = np.empty(len(ids), np.int32)
    for at in range(0, len(ids), CHUNK):
        codes[at : at + CHUNK] = table[ids[at : at + CHUNK].astype(np.int64) - least]
    return symbols, codes


def _integers(array: NDArray[np.generic]) -> bool:
    return array.dtype.kind in "iu"
