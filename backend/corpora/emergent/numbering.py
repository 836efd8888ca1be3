"""Symbols to dense ids, block by block."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.emergent.corpus import Symbols

MAX_VOCABULARY = 2_000_000
SMALL = 1 << 24
"""Ids below this are renumbered by a table, which takes 64 MB at most; larger ones by searching."""


class Numbering:
    """The ids of all utterances so far; integers stay themselves and words get numbers by first occurrence until `done`."""

    def __init__(self) -> None:
        self._ids: list[NDArray[np.int32]] = []
        self._lengths: list[NDArray[np.int64]] = []
        self.tokens = 0
        self._words: defaultdict[str, int] = defaultdict(lambda: len(self._words))
        self.renumbered: tuple[int, int] | None = None
        """After `done`: the least and the largest integer, where some were negative and all are numbered from 0 instead."""

    def integers(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Add utterances of int32 integers, one after the other; with negative ones all are renumbered by `done`."""
        self._add(ids.astype(np.int32), lengths)

    def words(self, utterances: Sequence[Sequence[str]]) -> None:
        """Add utterances of words or characters. Raises `CorpusError` for too many different ones."""
        known = self._words
        lengths = np.fromiter(map(len, utterances), np.int64, len(utterances))
        ids = np.fromiter(map(known.__getitem__, chain.from_iterable(utterances)), np.int32, int(lengths.sum()))
        _check_vocabulary(len(known))
        self._add(ids, lengths)

    def utterances(self, rows: Sequence[list[int] | list[str]], symbols: Symbols) -> None:
        """Add utterances of one kind of symbols, as `emergent_rows.utterance` gives them."""
        if symbols == "integers":
            lengths = np.fromiter(map(len, rows), np.int64, len(rows))
            self.integers(np.fromiter(chain.from_iterable(rows), np.int64, int(lengths.sum())), lengths)
        else:
            self.words(rows)  # type: ignore[arg-type]

    def _add(self, ids: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        self.tokens += len(ids)
        self._ids.append(ids)
        self._lengths.append(lengths)

    def done(self) -> tuple[NDArray[np.int32], NDArray[np.int64], tuple[str, ...] | None]:
        """Ids, starts and vocabulary as in `EmergentCorpus`, which is to have at least one token.

        Raises `CorpusError` for too many different integers.
        """
        starts = np.concatenate([np.zeros(1, np.int64), *self._lengths])
        np.cumsum(starts, out=starts)
        vocabulary: tuple[str, ...] | None = tuple(self._words)
        if not self._words:
            symbols = _renumber(self._ids)
            least, largest = int(symbols[0]), int(symbols[-1])
            self.renumbered = (least, largest) if least < 0 else None
            dense = least >= 0 and largest == len(symbols) - 1
            vocabulary = None if dense or self.renumbered else tuple(map(str, symbols.tolist()))
        ids = np.concatenate(self._ids)
        self._ids.clear()
        return ids, starts, vocabulary


def _renumber(parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return the different integers in `parts`, rising; each is replaced, in place, by its rank. Holds little beside them."""
    largest, least = max(int(part.max()) for part in parts), min(int(part.min()) for part in parts)
    small = largest < SMALL and least >= 0
    if small:
        seen = np.zeros(largest + 1, bool)
        for part in parts:
            seen[part] = True
        symbols = np.flatnonzero(seen).astype(np.int32)
    else:
        symbols = np.empty(0, np.int32)
        for part in parts:
            symbols = np.union1d(symbols, part)
            _check_vocabulary(len(symbols))
    _check_vocabulary(len(symbols))
    if least >= 0 and largest == len(symbols) - 1:
        return symbols
    rank = np.cumsum(seen, dtype=np.int32) - 1 if small else None
    for part in parts:
        part[:] = np.searchsorted(symbols, part) if rank is None else rank[part]
    return symbols


def _check_vocabulary(size: int) -> None:
    if size > MAX_VOCABULARY:
        raise CorpusError(
            f"There are more than {MAX_VOCABULARY:,} different symbols.",
            remedy="Check that each symbol stands by itself, separated by spaces, or read the rows as characters.",
        )
