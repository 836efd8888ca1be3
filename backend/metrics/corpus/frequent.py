"""What a corpus says most often: symbols, n-grams and whole utterances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.corpus.codes import CHUNK, tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.corpus.codes import CodedCorpus
    from isogloss.backend.metrics.corpus.ngrams import Ngrams
    from isogloss.backend.metrics.corpus.utterances import DistinctUtterances

SHOWN = 200
"""Symbols of an utterance that are kept: one may be as long as its corpus."""


@dataclass(frozen=True)
class Frequent:
    """A symbol, n-gram or utterance, by its ids in the corpus that was given, and how often it occurs."""

    ids: tuple[int, ...]
    """Of an utterance, the first 200 at most."""
    length: int
    """All its symbols."""
    count: int
    share: float
    """Of all symbols, n-grams of that order, or utterances: 0 to 1."""


def frequent_ngrams(corpus: CodedCorpus, grams: Ngrams, most: int = 20) -> list[Frequent]:
    """Return the n-grams that occur most, `most` at most; those that occur as often in the order of their ids.

    Of order 1 they are the symbols. `grams` are this corpus' n-grams.
    """
    places = _largest(grams.counts, most)
    windows = max(grams.windows, 1)
    return [
        Frequent(tuple(corpus.symbols[codes].tolist()), grams.order, int(n), float(n / windows))
        for codes, n in zip(grams.codes(places), grams.counts[places], strict=True)
    ]


def frequent_utterances(corpus: CodedCorpus, distinct: DistinctUtterances, most: int = 20) -> list[Frequent]:
    """Return the `most` most frequent utterances; of equally frequent ones, the first said comes first.

    `distinct` are this corpus' utterances.
    """
    utterances = []
    for place in _largest(distinct.counts, most):
        first, n = int(distinct.first[place]), int(distinct.counts[place])
        begin, end = int(corpus.starts[first]), int(corpus.starts[first + 1])
        ids = corpus.symbols[corpus.codes[begin : min(end, begin + SHOWN)]]
        utterances.append(Frequent(tuple(ids.tolist()), end - begin, n, n / corpus.utterances))
    return utterances


def _largest(counts: NDArray[np.signedinteger], most: int) -> NDArray[np.intp]:
    """Places of the largest counts, from the largest down; of equal ones, the earlier first."""
    most = min(most, len(counts))
    if most < 1:
        return np.empty(0, np.intp)
    clipped = np.minimum(counts, CHUNK)  # counts above are few enough to be sorted
    reached = np.cumsum(tally(clipped, CHUNK + 1)[::-1])[::-1]
    least = int(np.flatnonzero(reached >= most)[-1])
    above, equal = np.flatnonzero(clipped > least), np.flatnonzero(clipped == least)
    chosen = np.concatenate([above, equal if least == CHUNK else equal[: most - len(above)]])
    return chosen[np.argsort(-counts[chosen], kind="stable")][:most]
