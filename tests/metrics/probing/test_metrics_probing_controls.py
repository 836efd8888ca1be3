"""Control tasks, most frequent tags, confusion, pairs and description length, against plain versions."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.metrics.probing.codelength import PERCENTS, block_ends, compression, description_length
from isogloss.backend.metrics.probing.confusion import confusion, shares
from isogloss.backend.metrics.probing.controls import control_tags, majority_tag, tag_distribution, word_majority_tags
from isogloss.backend.metrics.probing.pairs import pair_features

WORDS = st.lists(st.sampled_from(["a", "b", "the", "The", "", "é", "\ud800", "日本"]), max_size=12)


def test_control_tags_follow_the_tags_frequencies() -> None:
    words = [f"w{i}" for i in range(40_000)]
    drawn = np.bincount(control_tags(words, [700, 0, 200, 100]), minlength=4) / len(words)
    np.testing.assert_allclose(drawn, [0.7, 0, 0.2, 0.1], atol=0.01)  # four standard errors


@given(WORDS, WORDS, st.integers(0, 2**31))
def test_a_word_type_has_one_control_tag_wherever_it_stands(words: list[str], others: list[str], seed: int) -> None:
    alone = control_tags(words, [3, 1, 2], seed)
    together = control_tags([*others, *words], [3, 1, 2], seed)
    assert together[len(others) :].tolist() == alone.tolist()
    assert len({*zip(words, alone.tolist(), strict=True)}) == len(set(words))


def test_control_tags_of_other_seeds_are_others_and_unrelated() -> None:
    words = [f"w{i}" for i in range(20_000)]
    first, second = (control_tags(words, [1, 1], seed) for seed in (0, 1))
    assert abs((first == second).mean() - 0.5) < 0.02
    assert control_tags(words[:50], [0, 0, 5]).tolist() == [2] * 50  # one tag alone


@pytest.mark.parametrize("distribution", [[], [0, 0], [1, -1], [1, math.nan], [[1]]])
def test_a_distribution_that_is_none_is_said(distribution: list[float]) -> None:
    with pytest.raises(ValueError, match="control task"):
        control_tags(["a"], distribution)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=20), st.text("abcd", max_size=8))
def test_the_most_frequent_tag_of_a_word(pairs: list[tuple[str, int]], test: str) -> None:
    words, labels = [word for word, _ in pairs], [tag for _, tag in pairs]
    overall = Counter(labels)
    most = min(overall, key=lambda tag: (-overall[tag], tag))
    assert majority_tag(labels) == most
    for word, tag in zip(test, word_majority_tags(words, labels, test).tolist(), strict=True):
        own = Counter(label for each, label in pairs if each == word)
        assert tag == (min(own, key=lambda each: (-own[each], -overall[each], each)) if own else most)


def test_majorities_of_nothing_are_said() -> None:
    with pytest.raises(ValueError, match="no words"):
        majority_tag([])
    with pytest.raises(ValueError, match="zip"):
        word_majority_tags(["a"], [1, 2], ["a"])
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        tag_distribution([0, 2], 2)
    assert tag_distribution([], 2).tolist() == [0, 0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=9))
def test_confusion_is_counting(words: list[tuple[int, int]]) -> None:
    counted = Counter(words)
    matrix = confusion([told for _, told in words], [right for right, _ in words], 4)
    assert matrix.tolist() == [[counted[right, told] for told in range(4)] for right in range(4)]
    parts = shares(matrix)
    for right in range(4):
        of_tag = sum(each == right for each, _ in words)
        expected = [counted[right, told] / of_tag if of_tag else math.nan for told in range(4)]
        np.testing.assert_array_equal(parts[right], expected)


def test_confusion_of_unknown_tags_is_said() -> None:
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        confusion([0, 2], [0, 0], 2)
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        confusion([0, 1], [0, -1], 2)
    with pytest.raises(ValueError, match="do not fit"):
        confusion([0], [0, 0], 2)


def test_pair_features() -> None:
    u, v = torch.tensor([[1, -2], [0, torch.nan]]).half(), torch.tensor([[3, 4], [5, 6]]).half()
    made = pair_features(u, v)
    assert made.dtype == torch.float32
    assert made[0].tolist() == [1, -2, 3, 4, 2, 6, 3, -8]
    assert made[1].isnan().tolist() == [False, True, False, False, False, True, False, True]
    large = torch.tensor([300]).half()
    assert pair_features(large, large)[3] == 90_000  # beyond float16
    with pytest.raises(ValueError, match="one shape"):
        pair_features(u, v[:1])


def test_blocks_end_where_the_percents_say() -> None:
    assert block_ends(1000) == (1, 2, 4, 8, 16, 32, 63, 125, 250, 500, 1000)
    assert block_ends(100_000) == (100, 200, 400, 800, 1600, 3200, 6250, 12_500, 25_000, 50_000, 100_000)
    assert block_ends(3) == (1, 2, 3)  # blocks that would be empty are left out
    assert block_ends(1) == (1,)
    assert block_ends(0) == ()
    assert len(PERCENTS) == 11
    for wrong in ((), (50.0,), (0.0, 100.0), (50.0, 20.0, 100.0)):
        with pytest.raises(ValueError, match="rise"):
            block_ends(10, wrong)


def test_description_length_of_a_probe_that_knows_nothing_is_the_uniform_code() -> None:
    words, tags = 1000, 8
    ends = block_ends(words)
    nats = np.array([[(b - a) * math.log(tags)] * 2 for a, b in pairwise(ends)])
    bits = description_length(ends[0], tags, nats)
    np.testing.assert_allclose(bits, words * 3)
    np.testing.assert_allclose(compression(words, tags, bits), 1)
    np.testing.assert_allclose(description_length(ends[0], tags, nats / 2), 3 + 999 * 1.5)
    assert np.isnan(compression(10, 1, 0.0))
