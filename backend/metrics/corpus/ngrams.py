"""n-grams of a corpus, within utterances: how many, how often, their entropies, and what a symbol says of the next.

An n-gram is a window of n tokens of one utterance; utterances shorter than n have none. Its key is a number that orders
n-grams as their symbols do. Where the number would outgrow 63 bits, the n-grams so far are numbered again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.corpus.codes import CHUNK, entropy_bits, number_keys, rises

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.corpus.codes import CodedCorpus

LIMIT = 1 << 63
TABLE = 1 << 24
"""Keys below this are counted in a table, others by sorting."""


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The distinct n-grams of one order, in the order of their symbols."""

    order: int
    types: int
    """Symbols that the corpus has."""
    keys: NDArray[np.int64]
    """[distinct], ascending: the key of the first n - 1 symbols times `types`, plus the last symbol's code."""
    counts: NDArray[np.int32]
    """[distinct]"""
    tables: dict[int, NDArray[np.int64]]
    """By order: the keys, as they were before n-grams of that order were numbered again."""

    @property
    def windows(self) -> int:
        """All n-grams, distinct or not."""
        return int(self.counts.sum())

    def codes(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the symbols' codes of the distinct n-grams at `places`: [places, order]."""
        codes_of = np.empty((len(places), self.order), np.int64)
        keys = self.keys[places]
        for at in range(self.order - 1, 0, -1):
            keys, codes_of[:, at] = np.divmod(keys, self.types)
            if at in self.tables:
                keys = self.tables[at][keys]
        codes_of[:, 0] = keys
        return codes_of


@dataclass(frozen=True)
class NgramEntropy:
    """Of the n-grams of one order; all 0 where no utterance is so long."""

    order: int
    windows: int
    """How many n-grams there are."""
    distinct: int
    entropy: float
    """Bits per n-gram."""
    conditional: float
    """Bits of the last symbol when the n - 1 before it are known, over these windows; of order 1, the entropy itself."""


def ngrams(corpus: CodedCorpus, order: int) -> Ngrams:
    """Return the n-grams of `order` symbols. Raises ValueError where it is not at least 1."""
    if order < 1:
        raise ValueError(f"An n-gram has at least one symbol, not {order}.")
    types = max(corpus.types, 1)
    tables: dict[int, NDArray[np.int64]] = {}
    if order == 1:
        return Ngrams(1, types, np.arange(corpus.types), corpus.counts().astype(np.int32), tables)
    keys, bound = corpus.codes.astype(np.int64), types
    for length in range(2, order + 1):
        if bound * types > LIMIT:
            tables[length - 1], keys = number_keys(keys)
            bound = len(tables[length - 1])
        keys = keys[:-1]
        keys *= types
        keys += corpus.codes[length - 1 :]
        bound *= types
    keys = keys[: _gathered(keys, _whole(corpus, order))]
    if bound <= min(TABLE, 4 * len(keys)):
        table = np.bincount(keys, minlength=bound)
        found = np.flatnonzero(table)
        return Ngrams(order, types, found, table[found].astype(np.int32), tables)
    keys.sort()
    steps, windows = rises(keys), len(keys)
    keys = keys[steps]
    return Ngrams(order, types, keys, _gaps(np.flatnonzero(steps), windows).astype(np.int32), tables)


def ngram_entropy(grams: Ngrams) -> NgramEntropy:
    """Entropy and conditional entropy of n-grams, in bits, by the plug-in estimate.

    With few tokens both are too low, the more so the longer the n-grams: a conditional entropy near 0 where most windows are
    distinct says that the corpus is small, not that it is regular. Compare `distinct` with `windows`.
    """
    entropy = entropy_bits(grams.counts)
    before = 0.0 if grams.order == 1 else entropy_bits(_without_last(grams))
    return NgramEntropy(grams.order, grams.windows, len(grams.counts), entropy, max(0.0, entropy - before))


def mutual_information(bigrams: Ngrams) -> float:
    """Bits that a symbol says of the next one in its utterance: H(first) + H(second) - H(both), over all bigrams.

    By the plug-in estimate, which is too high where bigrams are few: compare with a shuffled corpus (`corpus_structure`).
    Raises ValueError for n-grams of another order.
    """
    if bigrams.order != 2:
        raise ValueError(f"The information between neighbours is that of bigrams, not of order {bigrams.order}.")
    first = entropy_bits(_without_last(bigrams))
    last = bigrams.keys % bigrams.types
    second = entropy_bits(np.bincount(last, weights=bigrams.counts, minlength=bigrams.types))
    return max(0.0, first + second - entropy_bits(bigrams.counts))


def _whole(corpus: CodedCorpus, order: int) -> NDArray[np.bool_]:
    """Return which windows of `order` tokens lie in one utterance: [tokens - order + 1], or empty."""
    begins = np.zeros(corpus.tokens + 1, bool)
    begins[corpus.starts] = True
    whole = np.ones(max(corpus.tokens - order + 1, 0), bool)
    for ahead in range(1, order):
        whole &= ~begins[ahead : ahead + len(whole)]
    return whole


def _gathered(keys: NDArray[np.int64], kept: NDArray[np.bool_]) -> int:
    """Move the keys that are kept to the front, in their order; return how many they are."""
    end = 0
    for at in range(0, len(keys), CHUNK):
        part = keys[at : at + CHUNK][kept[at : at + CHUNK]]
        keys[end : end + len(part)] = part
        end += len(part)
    return end


def _gaps(edges: NDArray[np.intp], end: int) -> NDArray[np.int64]:
    """Return how far each edge is from the next, and the last from the end; the array of the edges is used again."""
    for at in range(0, len(edges) - 1, CHUNK):
        part = edges[at : at + CHUNK + 1]
        part[:-1] = part[1:] - part[:-1]
    if len(edges):
        edges[-1] = end - edges[-1]
    return edges


def _without_last(grams: Ngrams) -> NDArray[np.int32]:
    """Return how often each different beginning occurs, which is an n-gram less its last symbol."""
    if not len(grams.keys):
        return grams.counts
    steps = np.ones(len(grams.keys), bool)
    for at in range(0, len(grams.keys), CHUNK):
        part = grams.keys[at : at + CHUNK + 1] // grams.types
        np.not_equal(part[1:], part[:-1], out=steps[at + 1 : at + len(part)])
    return np.add.reduceat(grams.counts, np.flatnonzero(steps), dtype=np.int32)
