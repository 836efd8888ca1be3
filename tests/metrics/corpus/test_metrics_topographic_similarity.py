"""Topographic similarity against plain loops, scipy's Spearman and cases known by hand."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from isogloss.backend.metrics.corpus import topographic_similarity as module
from isogloss.backend.metrics.corpus.topographic_similarity import edit_distances, hamming_distances, topographic_similarity

if TYPE_CHECKING:
    from collections.abc import Sequence


def flat(messages: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, messages)])
    return np.array([symbol for message in messages for symbol in message], np.int32), starts.astype(np.int64)


def levenshtein(one: Sequence[int], other: Sequence[int]) -> int:
    """By its recursive definition."""
    if not one or not other:
        return len(one) + len(other)
    if one[-1] == other[-1]:
        return levenshtein(one[:-1], other[:-1])
    return 1 + min(levenshtein(one[:-1], other), levenshtein(one, other[:-1]), levenshtein(one[:-1], other[:-1]))


MESSAGES = st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=2, max_size=6)


@given(MESSAGES)
@settings(max_examples=60)
def test_edit_distances_are_levenshteins(messages: list[list[int]]) -> None:
    first, second = np.triu_indices(len(messages), 0)
    found = edit_distances(*flat(messages), first, second)
    assert found.tolist() == [levenshtein(messages[i], messages[j]) for i, j in zip(first, second, strict=True)]


@given(MESSAGES, st.integers(0, 1000))
@settings(max_examples=60)
def test_it_is_spearmans_correlation_over_all_pairs(messages: list[list[int]], seed: int) -> None:
    meanings = np.random.default_rng(seed).integers(0, 3, (len(messages), 4))
    pairs = list(combinations(range(len(messages)), 2))
    apart = [int((meanings[i] != meanings[j]).sum()) for i, j in pairs]
    edits = [levenshtein(messages[i], messages[j]) for i, j in pairs]
    found = topographic_similarity(meanings, *flat(messages))
    if len(set(apart)) == 1 or len(set(edits)) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(float(spearmanr(apart, edits).statistic))


def test_pairs_compared_in_parts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    messages = [random.integers(0, 4, random.integers(0, 7)).tolist() for _ in range(30)]
    first, second = np.triu_indices(30, 1)
    whole = edit_distances(*flat(messages), first, second)
    monkeypatch.setattr(module, "PAIRS", 17)
    assert edit_distances(*flat(messages), first, second).tolist() == whole.tolist()


def test_a_compositional_language_has_one_and_a_constant_one_none() -> None:
    meanings = np.array([[a, b, c] for a in range(3) for b in range(3) for c in range(3)])
    said = meanings + np.array([0, 10, 20])  # a word for each value, in a place of its own
    assert topographic_similarity(meanings, *flat(said.tolist())) == pytest.approx(1)
    assert math.isnan(topographic_similarity(meanings, *flat([[1, 2]] * 27)))
    shuffled = np.random.default_rng(1).permutation(said)
    assert abs(topographic_similarity(meanings, *flat(shuffled.tolist()))) < 0.25
    assert hamming_distances(meanings, np.array([0, 0]), np.array([1, 26])).tolist() == [1, 3]


def test_arrays_that_do_not_fit_are_refused() -> None:
    ids, starts = flat([[1, 2], [3]])
    with pytest.raises(ValueError, match="one for each row"):
        topographic_similarity(np.zeros((3, 2)), ids, starts)
    with pytest.raises(ValueError, match="must rise"):
        topographic_similarity(np.zeros((2, 2)), ids, np.array([0, 2, 4]))
    assert math.isnan(topographic_similarity(np.zeros((1, 2)), ids, np.array([0, 3])))
