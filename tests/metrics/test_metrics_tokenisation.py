"""Ratios, shares, premiums and shared pieces, against plain loops that leave out one sentence after another."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.metrics.intervals import Z95, wilson_interval
from isogloss.backend.metrics.tokenisation import premiums, ratio, share, shared

COUNTS = st.integers(3, 8).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 9), min_size=n, max_size=n) for _ in range(3)])
)
USED = st.lists(st.dictionaries(st.integers(0, 12), st.integers(1, 6), max_size=8), min_size=2, max_size=5)


def by_hand(above: list[int], below: list[int]) -> tuple[float, float, float]:
    """Σ above / Σ below and its ends, a sentence left out at a time."""
    if not sum(below):
        return math.nan, math.nan, math.nan
    value, logs = sum(above) / sum(below), []
    for k in range(len(above)):
        over, under = sum(above[:k] + above[k + 1 :]), sum(below[:k] + below[k + 1 :])
        if not over or not under:
            return value, math.nan, math.nan
        logs.append(math.log(over / under))
    mean = sum(logs) / len(logs)
    error = math.sqrt((len(logs) - 1) / len(logs) * sum((each - mean) ** 2 for each in logs))
    return value, value / math.exp(Z95 * error), value * math.exp(Z95 * error)


@given(COUNTS)
def test_a_ratio_is_that_of_the_sums_with_its_jackknife(counts: tuple[list[int], ...]) -> None:
    above, below, _ = counts
    found = ratio(above, below)
    np.testing.assert_allclose([found.value, found.low, found.high], by_hand(above, below), rtol=1e-9)


@given(COUNTS)
def test_premiums_are_ratios_of_every_language_to_every_language(counts: tuple[list[int], ...]) -> None:
    found = premiums(counts)
    for i, own in enumerate(counts):
        for j, pivot in enumerate(counts):
            ends = [found.value[i, j], found.low[i, j], found.high[i, j]]
            np.testing.assert_allclose(ends, by_hand(own, pivot), rtol=1e-6, atol=1e-9)


def test_a_premium_back_is_the_inverse_with_the_ends_turned() -> None:
    found = premiums(np.random.default_rng(0).poisson(20, (4, 30)))
    np.testing.assert_allclose(found.value, 1 / found.value.T)
    np.testing.assert_allclose(found.low, 1 / found.high.T)
    assert (np.diag(found.value) == 1).all()


@given(COUNTS)
def test_a_share_is_of_the_sums_within_wilsons_interval(counts: tuple[list[int], ...]) -> None:
    part, more, _ = counts
    of = [a + b for a, b in zip(part, more, strict=True)]
    found, total = share(part, of), sum(of)
    if not total:
        assert np.isnan([found.value, found.low, found.high]).all()
        return
    value = sum(part) / total
    without = [(sum(part) - a, total - b) for a, b in zip(part, of, strict=True)]
    if any(left == 0 for _, left in without):
        return  # one sentence has all: nothing is left without it
    shares = [a / b for a, b in without]
    mean, n = sum(shares) / len(shares), len(shares)
    variance = (n - 1) / n * sum((each - mean) ** 2 for each in shares)
    trials = min(total, value * (1 - value) / variance) if variance > 1e-18 and 0 < value < 1 else total
    low, high = wilson_interval(value, trials)
    np.testing.assert_allclose([found.value, found.low, found.high], [value, low, high], rtol=1e-6, atol=1e-9)


def test_two_sentences_and_constant_counts_have_what_they_can_have() -> None:
    two = ratio([4, 6], [2, 3])
    assert (two.value, np.isnan(two.low)) == (2.0, True)
    same = ratio([4, 4, 4], [2, 2, 2])
    assert [same.value, same.low, same.high] == pytest.approx([2, 2, 2])
    assert np.isnan(share([1, 1], [1, 2]).low)
    assert share([0, 0, 0], [5, 5, 5]).low == 0


def test_the_interval_of_a_ratio_holds_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    words = random.poisson(15, (2000, 60)) + 1
    pieces = words + random.binomial(words, 0.4)
    found = ratio(pieces, words)
    assert 0.93 < np.mean((found.low <= 1.4) & (found.high >= 1.4)) < 0.97


@given(USED)
def test_what_is_shared_is_counted_piece_by_piece(used: list[dict[int, int]]) -> None:
    found = shared(used)
    for i, one in enumerate(used):
        for j, other in enumerate(used):
            if not one or not other:
                assert np.isnan([found.types[i, j], found.use[i, j]]).all()
                continue
            p, q = ({piece: count / sum(each.values()) for piece, count in each.items()} for each in (one, other))
            pieces = set(p) | set(q)
            assert found.types[i, j] == pytest.approx(len(set(p) & set(q)) / len(pieces))
            least = sum(min(p.get(piece, 0), q.get(piece, 0)) for piece in pieces)
            most = sum(max(p.get(piece, 0), q.get(piece, 0)) for piece in pieces)
            assert found.use[i, j] == pytest.approx(least / most, abs=1e-6)


def test_languages_of_the_same_pieces_share_all_and_of_others_none() -> None:
    one, other = Counter("aabbc"), Counter("xyz")
    numbered = [{ord(piece): count for piece, count in each.items()} for each in (one, one, other)]
    found = shared(numbered)
    assert found.types[0, 1] == found.types[0, 0] == 1
    assert found.use[0, 1] == pytest.approx(1)
    assert found.types[0, 2] == found.use[0, 2] == 0
