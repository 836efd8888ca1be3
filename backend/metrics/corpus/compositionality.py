"""How messages mirror what they mean: topographic similarity and disentanglement, with intervals and what chance gives.

Of many messages a sample is taken. A corpus says most meanings many times, so what counts as one is a meaning: topographic
similarity compares messages of different meanings, intervals are those of a jackknife that leaves out a twentieth of the
meanings at a time with all their messages, and `chance` and `p` are of meanings that change places with all their messages.
(An interval over pairs would be far too narrow, since pairs share messages; a bootstrap would pair messages with themselves.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.stats import t

from isogloss.backend.metrics.corpus.disentanglement import Entries, bags, disentanglement, positions
from isogloss.backend.metrics.corpus.topographic_similarity import edit_distances, hamming_distances
from isogloss.backend.metrics.intervals import IntervalEstimate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Distance = Literal["hamming", "euclidean", "cosine"]
"""Of meanings: how many attributes differ; of numbers, also how far apart they are, or in what direction they point."""
GROUPS, PERMUTATIONS = 20, 99
MOST, MOST_COUNTED, LONGEST = 10_000, 2_000_000, 256
"""Messages of the sample, its symbols times attributes, and symbols of one message: of a longer one, the first count."""
MOST_PAIRED, MOST_EDITS = 1_000, 1_000_000_000
"""Messages that are compared in pairs, and entries of the tables of their edit distances."""


@dataclass(frozen=True, eq=False)
class Paired:
    """Messages and what they mean: message `i` is `ids[starts[i]:starts[i + 1]]`, and means row `i` of the meanings."""

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.int64]
    """[messages, attributes], each attribute's values numbered from 0"""
    numbers: NDArray[np.float64] | None = None
    """[messages, attributes], where all values are numbers"""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The different meanings [kinds, attributes], and which of them each message has [messages]."""
        different, which = np.unique(self.values, axis=0, return_inverse=True)
        return different, which.reshape(-1)


@dataclass(frozen=True, eq=False)
class Measured(IntervalEstimate[float]):
    """A number, its 95% interval, and where it stands against meanings that change places; nan where one is not defined."""

    chance: float
    """The mean over `PERMUTATIONS` random orders of the different meanings."""
    p: float
    """How often a random order gives as much or more, the given order counted as one: at least 1 / (PERMUTATIONS + 1)."""
    n: int
    """Messages that it rests on."""


def undefined(messages: int) -> Measured:
    """Return a measure that is not defined for so many messages."""
    nan = float("nan")
    return Measured(nan, nan, nan, nan, nan, messages)


def sample(paired: Paired, seed: int) -> Paired:
    """Return at most `MOST` of the messages, in a random order, each with its first `LONGEST` symbols at most."""
    order = np.random.default_rng(seed).permutation(len(paired))[:MOST]
    lengths = np.minimum(np.diff(paired.starts)[order], LONGEST)
    most = MOST_COUNTED // max(paired.values.shape[1], 1)
    order = order[: max(3, int(np.searchsorted(np.cumsum(lengths), most, side="right")))]
    return _of(paired, order)


def topographic(paired: Paired, distance: Distance = "hamming", *, normalised: bool = False, seed: int = 0) -> Measured:
    """Spearman's ρ of the distance of meanings with the edit distance of messages, over pairs of different meanings' messages.

    From −1 to 1, higher where similar meanings have similar messages. `normalised` divides an edit distance by the longer
    message's length. Raises ValueError for a distance of numbers between meanings that are none.
    Source: Brighton & Kirby 2006; the permutation test: Mantel 1967.
    """
    longest = int(np.diff(paired.starts).max(initial=1))
    most = int(np.sqrt(2 * MOST_EDITS / max(longest, 1) ** 2))
    paired = _of(paired, np.arange(min(len(paired), max(3, most), MOST_PAIRED)))
    different, which = paired.kinds
    first, second = np.triu_indices(len(paired), 1)
    apart = which[first] != which[second]
    first, second = first[apart], second[apart]
    edits = edit_distances(paired.ids, paired.starts, first, second).astype(np.float64)
    if normalised:
        lengths = np.diff(paired.starts)
        edits /= np.maximum(np.maximum(lengths[first], lengths[second]), 1)
    one, other = _levels(_meaning_distances(paired, first, second, distance)), _levels(edits)
    table = np.zeros((len(different), len(different)), np.int64)
    table[which[first], which[second]] = table[which[second], which[first]] = one

    def without(left: NDArray[np.bool_]) -> float:
        kept = ~(left[first] | left[second])
        return _spearman(one[kept], other[kept])

    def swapped(order: NDArray[np.int64]) -> float:
        return _spearman(table[order[which[first]], order[which[second]]], other)

    return _measured(paired, _spearman(one, other), without, swapped, seed, (-1.0, 1.0))


def disentangled(paired: Paired, of: Literal["positions", "symbols"], *, seed: int = 0) -> Measured:
    """`disentanglement` of positions (posdis) or of the bag of symbols (bosdis): from 0 to 1, higher is more disentangled."""
    entries: Entries = (positions if of == "positions" else bags)(paired.ids, paired.starts)
    different, which = paired.kinds
    return _measured(
        paired,
        disentanglement(entries, paired.values),
        lambda left: disentanglement(entries, paired.values, ~left),
        lambda order: disentanglement(entries, different[order[which]]),
        seed,
        (0.0, 1.0),
    )


def _measured(
    paired: Paired,
    value: float,
    without: Callable[[NDArray[np.bool_]], float],
    swapped: Callable[[NDArray[np.int64]], float],
    seed: int,
    ends: tuple[float, float],
) -> Measured:
    """Put a value beside its jackknife, `without` some messages, and what random orders of the different meanings give."""
    if not np.isfinite(value):
        return undefined(len(paired))
    different, which = paired.kinds
    random, groups = np.random.default_rng(seed), min(len(different), GROUPS)
    group = (random.permutation(len(different)) % groups)[which]
    left = np.array([without(group == each) for each in range(groups)])
    error = np.sqrt((groups - 1) / groups * np.square(left - left.mean()).sum()) if groups > 2 else np.nan
    half = float(t.ppf(0.975, max(groups - 1, 1)) * error)
    others = [swapped(random.permutation(len(different))) for _ in range(PERMUTATIONS)]
    # Of equal numbers the last digit may differ: what a random order gives counts as much from there on.
    p = (1 + sum(each >= value - 1e-9 for each in others)) / (1 + len(others))
    low, high = (float(np.clip(end, *ends)) for end in (value - half, value + half))
    chance = float(np.nanmean(others)) if np.isfinite(others).any() else float("nan")
    return Measured(value, low, high, chance, p, len(paired))


def _of(paired: Paired, order: NDArray[np.int64]) -> Paired:
    lengths = np.minimum(np.diff(paired.starts)[order], LONGEST)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.arange(starts[-1]) - np.repeat(starts[:-1] - paired.starts[:-1][order], lengths)
    numbers = None if paired.numbers is None else paired.numbers[order]
    return Paired(paired.ids[places], starts, paired.values[order], numbers)


def _meaning_distances(
    paired: Paired, first: NDArray[np.int64], second: NDArray[np.int64], distance: Distance
) -> NDArray[np.float64]:
    if distance == "hamming":
        return hamming_distances(paired.values, first, second).astype(np.float64)
    if paired.numbers is None:
        raise ValueError("Meanings have a Euclidean or cosine distance where all their attributes are numbers.")
    largest = max(float(np.abs(paired.numbers).max(initial=0.0)), np.finfo(np.float64).tiny)
    vectors = paired.numbers / largest  # squares neither overflow nor vanish
    if distance == "cosine":
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    squares = np.square(vectors).sum(1)
    products = vectors @ vectors.T
    if distance == "cosine":
        both_none = ((squares == 0)[first]) & ((squares == 0)[second])  # a vector of zeros points nowhere: far from any other
        return np.where(both_none, 0.0, 1 - products[first, second])
    found: NDArray[np.float64] = np.sqrt(np.maximum(squares[first] + squares[second] - 2 * products[first, second], 0.0))
    return found


def _levels(distances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number the different distances from 0, rising; those that differ by rounding alone are the same."""
    largest = float(np.abs(distances).max(initial=0.0)) or 1.0
    return np.unique(np.round(distances / largest, 7), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _ranks(levels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Ranks of numbered levels, ties at their mean rank, less the mean of all ranks."""
    counts = np.bincount(levels)
    return (np.cumsum(counts) - (counts - 1) / 2)[levels] - (len(levels) + 1) / 2


def _spearman(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    if not len(one) or one.min() == one.max() or other.min() == other.max():
        return float("nan")
    a, b = _ranks(one), _ranks(other)
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))
