"""Corpus statistics written out over lists, one utterance and one window at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from isogloss.backend.metrics.corpus.codes import CodedCorpus, code

HUGE = 2**31 - 1
IDS = st.one_of(st.integers(0, 3), st.sampled_from([0, 7, 1_000_000, HUGE]))
CORPORA = st.lists(st.lists(IDS, max_size=7), max_size=12)
"""Utterances of few symbols, some of them huge, some utterances empty or repeated, or no utterance at all."""

ADVERSARIAL: dict[str, list[list[int]]] = {
    "no utterance": [],
    "one empty utterance": [[]],
    "empty utterances": [[], [], []],
    "one token": [[5]],
    "one symbol": [[5, 5], [5], [5, 5, 5]],
    "one utterance": [[1, 2, 1, 3, 1, 2]],
    "empty among others": [[], [1, 2], [], [], [2, 1], []],
    "huge ids": [[HUGE, 0, HUGE], [HUGE - 1]],
    "all different": [[1, 2, 3], [4, 5, 6]],
    "all the same utterance": [[1, 2]] * 9,
    "utterances of one token": [[1], [2], [1], [3]],
}


def arrays(utterances: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([each for row in utterances for each in row], np.int32)
    return ids, np.cumsum([0, *map(len, utterances)], dtype=np.int64)


def coded(utterances: list[list[int]]) -> CodedCorpus:
    return code(*arrays(utterances))


def tokens(utterances: list[list[int]]) -> list[int]:
    return [each for row in utterances for each in row]


def windows(utterances: list[list[int]], order: int) -> list[tuple[int, ...]]:
    return [tuple(row[at : at + order]) for row in utterances for at in range(len(row) - order + 1)]


def entropy(things: Iterable[object]) -> float:
    counts = Counter(things)
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values()) if total else 0.0


def conditional_entropy(grams: list[tuple[int, ...]]) -> float:
    """The mean, over windows, of -log2 of the share that the last symbol has after the symbols before it."""
    counts, before = Counter(grams), Counter(gram[:-1] for gram in grams)
    return -sum(math.log2(counts[gram] / before[gram[:-1]]) for gram in grams) / len(grams) if grams else 0.0


def information(pairs: list[tuple[int, ...]]) -> float:
    counts, first, second = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    n = len(pairs)
    return sum(k / n * math.log2(k * n / (first[a] * second[b])) for (a, b), k in counts.items())
