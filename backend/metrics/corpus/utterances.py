"""Utterances as wholes: their lengths, and which are said again.

Equal utterances are found by a number mixed from their symbols and the symbols' places, and then compared symbol by symbol: if
two that differ shared a number, other numbers are drawn. So the result is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.corpus.codes import CHUNK, rises

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.corpus.codes import CodedCorpus

TRIES = 20
"""One is enough but for one corpus in 100,000, were all of its 20 million utterances different."""


@dataclass(frozen=True, eq=False)
class UtteranceLengths:
    """Tokens per utterance. Without utterances the numbers are nan and the arrays empty."""

    shortest: float
    longest: float
    mean: float
    median: float
    deviation: float
    """Standard deviation, over all utterances (n below the line)."""
    lengths: NDArray[np.int64]
    """[distinct lengths], ascending"""
    counts: NDArray[np.int64]
    """[distinct lengths]: utterances of that length"""


@dataclass(frozen=True, eq=False)
class DistinctUtterances:
    """Utterances that differ, in the order in which they are first said."""

    first: NDArray[np.int64]
    """[distinct]: the first utterance of each, by its place in the corpus"""
    counts: NDArray[np.int64]
    """[distinct]: how often each is said; the sum is the number of utterances"""


def utterance_lengths(corpus: CodedCorpus) -> UtteranceLengths:
    """Return how long utterances are; empty ones count as 0."""
    lengths_of = corpus.lengths()
    lengths, counts = _counted(lengths_of)
    if not len(lengths_of):
        nan = float("nan")
        return UtteranceLengths(nan, nan, nan, nan, nan, lengths, counts)
    middle = float(np.median(lengths_of))
    return UtteranceLengths(
        float(lengths_of.min()),
        float(lengths_of.max()),
        float(lengths_of.mean()),
        middle,
        float(lengths_of.std()),
        lengths,
        counts,
    )


def _counted(lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if lengths.max(initial=0) > len(lengths):
        return np.unique(lengths, return_counts=True)
    table = np.bincount(lengths)
    return np.flatnonzero(table), table[table > 0]


def distinct_utterances(corpus: CodedCorpus) -> DistinctUtterances:
    """Return every different utterance with its first place and its count. All empty utterances are the same one."""
    for seed in range(TRIES):
        numbers = _numbers(corpus, seed)
        order = np.argsort(numbers)
        numbers = numbers[order]
        edges = np.flatnonzero(rises(numbers))
        del numbers
        if not len(edges):
            return DistinctUtterances(np.empty(0, np.int64), np.empty(0, np.int64))
        first = np.minimum.reduceat(order, edges)
        if _same(corpus, order, edges, first):
            place = np.argsort(first)
            counts = np.diff(edges, append=len(order))
            return DistinctUtterances(first[place].astype(np.int64), counts[place].astype(np.int64))
    raise AssertionError(f"No {TRIES} numbers of 64 bits tell these utterances apart.")


def _numbers(corpus: CodedCorpus, seed: int) -> NDArray[np.uint64]:
    """A 64-bit number for each utterance: the sum over its tokens of a mix of symbol, place in the utterance and seed."""
    hashes = np.zeros(corpus.utterances, np.uint64)
    for at in range(0, corpus.tokens, CHUNK):
        end = min(at + CHUNK, corpus.tokens)
        first = int(np.searchsorted(corpus.starts, at, side="right")) - 1
        bounds = corpus.starts[first : int(np.searchsorted(corpus.starts, end, side="left")) + 1]
        here = bounds.clip(at, end)  # an utterance may have begun before, and go on behind
        places = np.arange(at, end) - np.repeat(bounds[:-1], np.diff(here))
        mixed = _mix(corpus.codes[at:end].astype(np.uint64), places.astype(np.uint64), seed)
        spoken = np.flatnonzero(np.diff(here))
        hashes[first + spoken] += np.add.reduceat(mixed, here[spoken] - at)
    return hashes


def _mix(codes: NDArray[np.uint64], places: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """SplitMix64's finaliser (Steele, Lea & Flood 2014) of numbers that are set apart by place and seed."""
    mixed = codes + (places + np.uint64(2 * seed + 1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return found


def _same(corpus: CodedCorpus, order: NDArray[np.intp], edges: NDArray[np.intp], first: NDArray[np.intp]) -> bool:
    """Return whether the utterances in `order`, in groups that begin at `edges`, are all the same as their group's `first`."""
    step = min(CHUNK, max(1, CHUNK * corpus.utterances // max(corpus.tokens, 1)))
    for at in range(0, len(order), step):
        ones = order[at : at + step]
        others = first[np.searchsorted(edges, np.arange(at, at + len(ones)), side="right") - 1]
        ones, others = ones[ones != others], others[ones != others]
        lengths = (corpus.starts[each + 1] - corpus.starts[each] for each in (ones, others))
        if not np.array_equal(*lengths) or not np.array_equal(_tokens(corpus, ones), _tokens(corpus, others)):
            return False
    return True


def _tokens(corpus: CodedCorpus, utterances: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the tokens of the utterances, one after the other."""
    starts, lengths = corpus.starts[utterances], corpus.starts[utterances + 1] - corpus.starts[utterances]
    before = np.cumsum(lengths) - lengths
    found: NDArray[np.int32] = corpus.codes[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)]
    return found
