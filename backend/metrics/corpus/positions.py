"""Positional entropy: how freely symbols vary at each place of an utterance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.corpus.codes import entropy_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.corpus.codes import CodedCorpus


@dataclass(frozen=True, eq=False)
class PositionalEntropy:
    """Entropy of the symbols at each position, by the plug-in estimate."""

    entropy: NDArray[np.float64]
    """[positions], bits; position 0 is the first token, or the last where counted from the end"""
    utterances: NDArray[np.int64]
    """[positions]: the utterances that are long enough, of which each entropy is"""


def positional_entropy(corpus: CodedCorpus, positions: int = 32, from_end: bool = False) -> PositionalEntropy:
    """Of the first `positions` places of utterances, or of the last where counted `from_end`; fewer where none is so long.

    An entropy over few utterances is too low: look at `utterances` beside it.
    """
    lengths = corpus.lengths()
    longest = int(lengths.max(initial=0))
    entropy, utterances = [], []
    for position in range(min(positions, longest)):
        long_enough = lengths > position
        places = corpus.starts[1:][long_enough] - 1 - position if from_end else corpus.starts[:-1][long_enough] + position
        entropy.append(entropy_bits(_counts(corpus.codes[places], corpus.types)))
        utterances.append(len(places))
    return PositionalEntropy(np.array(entropy, np.float64), np.array(utterances, np.int64))


def _counts(codes: NDArray[np.int32], types: int) -> NDArray[np.int64]:
    """Return how often each code occurs, without those that do not where symbols outnumber the codes."""
    if types <= 4 * len(codes):
        return np.bincount(codes).astype(np.int64, copy=False)
    return np.unique(codes, return_counts=True)[1].astype(np.int64, copy=False)
