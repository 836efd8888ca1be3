"""Ranks with their intervals, and letters, against their definitions."""

from __future__ import annotations

import itertools
import re
from string import ascii_letters

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.ranking.ranks import letters, ranks


@pytest.mark.parametrize("better", ["higher", "lower", "neither"])
def test_ranks_count_who_is_better_and_who_is_so_for_certain(better: str) -> None:
    draw = np.random.default_rng(4)
    value = draw.normal(size=9).round(1)
    p = np.triu(draw.random((9, 9)) ** 3, 1)
    p = p + p.T + np.eye(9)
    found = ranks(value, p, better)  # type: ignore[arg-type]
    for a in range(9):
        better_ones = [b for b in range(9) if (value[b] < value[a] if better == "lower" else value[b] > value[a])]
        worse_ones = [b for b in range(9) if (value[b] > value[a] if better == "lower" else value[b] < value[a])]
        assert found.rank[a] == 1 + len(better_ones)
        assert found.low[a] == 1 + sum(p[a, b] <= 0.05 for b in better_ones)
        assert found.high[a] == 9 - sum(p[a, b] <= 0.05 for b in worse_ones)
    assert (found.low <= found.rank).all()
    assert (found.rank <= found.high).all()


def test_nothing_is_certain_where_nothing_is_known() -> None:
    found = ranks([3.0, 1.0, 2.0], np.full((3, 3), np.nan))
    assert found.rank.tolist() == [1, 3, 2]
    assert found.low.tolist() == [1, 1, 1]
    assert found.high.tolist() == [3, 3, 3]
    assert letters([0, 2, 1], np.full((3, 3), np.nan)) == ["a", "a", "a"]


def spelled(text: str) -> set[int]:
    """The letters of a model as numbers: `ab`, `a–d`, `zA`, `a2`."""
    found: set[int] = set()
    for first, last in re.findall(r"([a-zA-Z]\d*)(?:–([a-zA-Z]\d*))?", text):
        found |= set(range(number(first), number(last or first) + 1))
    return found


def number(letter: str) -> int:
    return ascii_letters.index(letter[0]) + 52 * (int(letter[1:] or 1) - 1)


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 9), st.randoms(use_true_random=False), st.floats(0, 1))
def test_two_share_a_letter_where_they_cannot_be_told_apart_and_nowhere_else(models: int, draw, share: float) -> None:
    p = np.ones((models, models))
    for a, b in itertools.combinations(range(models), 2):
        p[a, b] = p[b, a] = 0.01 if draw.random() < share else 0.5
    order = list(range(models))
    draw.shuffle(order)
    found = letters(order, p)
    own = [spelled(each) for each in found]
    assert all(own)
    assert 0 in own[order[0]]
    for a, b in itertools.combinations(range(models), 2):
        assert bool(own[a] & own[b]) == (p[a, b] > 0.05)


def test_letters_follow_the_order_and_go_on_after_z() -> None:
    apart = np.where(np.eye(60, dtype=bool), 1.0, 0.0)
    found = letters(range(60), apart)
    assert found[:2] == ["a", "b"]
    assert found[25:28] == ["z", "A", "B"]
    assert found[51:54] == ["Z", "a2", "b2"]
    chain = np.where(np.abs(np.subtract.outer(np.arange(5), np.arange(5))) < 2, 1.0, 0.0)
    assert letters(range(5), chain) == ["a", "ab", "bc", "cd", "d"]
    assert letters(range(3), np.ones((3, 3))) == ["a", "a", "a"]
