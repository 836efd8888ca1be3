"""Means of groups of languages' means over pairs: against what each language moves, and how often they hold the truth."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.metrics.pair_groups import mean_of_group


def means_over_pairs(pairs: np.ndarray) -> np.ndarray:
    return (pairs.sum(axis=1) - np.diagonal(pairs)) / (len(pairs) - 1)


def drawn(draw: np.random.Generator, n: int, own: float) -> np.ndarray:
    """Return the mean over its pairs of each of n languages that add to all their pairs."""
    added, pairs = draw.normal(size=n), np.triu(own * draw.normal(size=(n, n)), 1)
    return means_over_pairs(added[:, None] + added + pairs + pairs.T)


@pytest.mark.parametrize("size", [2, 5, 8, 9])
def test_the_variance_is_that_of_what_each_language_adds(size: int) -> None:
    """By moving one language at a time by 1 in all its pairs, and looking how far the mean of the group goes."""
    draw, n = np.random.default_rng(size), 9
    added, inside = draw.normal(size=n), np.arange(n) < size
    values = means_over_pairs(added[:, None] + added)
    moved = []
    for one in range(n):
        more = added + (np.arange(n) == one)
        moved.append(means_over_pairs(more[:, None] + more)[inside].mean() - values[inside].mean())
    spread = [added[inside].var(ddof=1), added[~inside].var(ddof=1) if n - size > 1 else added[inside].var(ddof=1)]
    parts = [sum(np.square(moved)[rows]) * one for rows, one in zip((inside, ~inside), spread, strict=True)]

    def half(p: float) -> float:
        return math.hypot(
            *(stats.t.isf(p / 2, f) * part**0.5 for f, part in zip((size - 1, max(size, n - size) - 1), parts, strict=True))
        )

    found = mean_of_group(values[:, None], range(size))
    assert found.value[0] == pytest.approx(values[inside].mean())
    assert [found.low[0], found.high[0]] == pytest.approx([found.value[0] - half(0.05), found.value[0] + half(0.05)])
    assert half(found.p[0]) == pytest.approx(abs(found.value[0]))
    far = mean_of_group(values[:, None] + 1e3, range(size))
    assert half(far.p[0]) == pytest.approx(far.value[0])  # also of a p that is small
    assert far.p[0] < 0.01


@pytest.mark.parametrize("size", [3, 12, 18, 36])
@pytest.mark.parametrize("own", [0.5, 3.0])
def test_groups_without_a_difference_differ_in_one_of_twenty_trials(size: int, own: float) -> None:
    """Of 800 trials: 5% and 2.5 standard errors. Student's test calls a third of them, or all, different in 15 to 33%."""
    draw = np.random.default_rng(size)
    wrong = sum(mean_of_group(drawn(draw, 36, own)[:, None], range(size)).p[0] <= 0.05 for _ in range(800))
    assert wrong <= 0.069 * 800


@pytest.mark.parametrize(("n", "size"), [(12, 2), (12, 4), (36, 3), (36, 12), (36, 36)])
def test_intervals_of_small_and_large_groups_hold_the_truth_in_19_of_20_trials(n: int, size: int) -> None:
    """Of 2,000: 93 to 97.5%. Student's holds in 68 to 95%; one quantile for both parts held in 97 to 100% of small groups."""
    draw = np.random.default_rng(n + size)
    found = mean_of_group(np.stack([drawn(draw, n, 0.5) for _ in range(2000)], axis=1), range(size))
    assert 0.93 <= np.mean((found.low <= 0) & (found.high >= 0)) <= 0.975


@pytest.mark.parametrize("sizes", [(18, *[2] * 9), (12, 9, 6, 6, 3), (36,)])
def test_groups_of_equal_models_are_rarely_told_after_correction(sizes: tuple[int, ...]) -> None:
    """Any of ten columns, of 400 trials: 5% and 3 standard errors. By one quantile of both parts it was 45%."""
    draw, ends = np.random.default_rng(len(sizes)), np.cumsum((0, *sizes))
    wrong = 0
    for _ in range(400):
        values = np.stack([drawn(draw, ends[-1], 0.5) for _ in range(10)], axis=1)
        p = [mean_of_group(values, range(first, last)).p for first, last in pairwise(ends)]
        wrong += (benjamini_hochberg(p) < 0.05).any()
    assert wrong <= 0.083 * 400


def test_what_is_missing_or_alike() -> None:
    nan = np.nan
    values = np.array([[1, 1, 0, nan, nan], [2, 1, 0, 3, nan], [3, 1, 0, 4, nan], [0, 1, 0, 5, nan], [9, 1, 0, 6, nan]])
    found = mean_of_group(values, [0, 1, 2])
    assert found.value == pytest.approx([2, 1, 0, 3.5, nan], nan_ok=True)
    assert found.p[1:3].tolist() == [0, 1]
    assert (found.low[1:3].tolist(), found.high[1:3].tolist()) == ([1, 0], [1, 0])
    assert np.isfinite(found.p[3])
    assert np.isnan([found.p[4], found.low[4]]).all()
    assert np.isnan(mean_of_group(values[:2], [0, 1]).p[0])  # two languages are one pair
    assert np.isnan(mean_of_group(values, [0]).p[0])
