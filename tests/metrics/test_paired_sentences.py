"""Paired intervals by what sentences add: held against slow versions, equal sides, and truths that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t

from isogloss.backend.metrics.paired import of_ratios, of_sentences


def slow(difference: float, sides: list[list[tuple[int, int]]], by_seed: list[float]) -> tuple[float, float]:
    """The interval of one difference of two ratios by loops; each side has (part, whole) a sentence."""
    n = len(sides[0])
    values = []
    for side in sides:
        part, whole = sum(each for each, _ in side), sum(each for _, each in side)
        values.append([part / whole + (one - part / whole * out_of) * n / whole for one, out_of in side])
    added = [a - b for a, b in zip(*values, strict=True)]
    mean = sum(added) / n
    own = [each for each, one, other in zip(added, *sides, strict=True) if one != other]
    typical = sum(each**2 for each in own) / len(own) if own else 1.0
    sentences = (sum((each - mean) ** 2 for each in added) + typical) / n / (n - 1)
    seeds = len(by_seed)
    middle = sum(by_seed) / seeds
    between = sum((each - middle) ** 2 for each in by_seed) / (seeds - 1) / seeds if seeds > 1 else 0.0
    below = sentences**2 / (n - 1) + (between**2 / (seeds - 1) if seeds > 1 else 0.0)
    freedom = (sentences + between) ** 2 / below if below > 0 else n - 1
    half = t.ppf(0.975, freedom) * math.sqrt(sentences + between)
    shrunk = difference * n / (n + 2)
    return min(max(-1, shrunk - half), difference), max(min(1, shrunk + half), difference)


@given(st.data())
def test_a_difference_of_ratios_is_the_slow_version(data: st.DataObject) -> None:
    """Of sentences of up to nine words, those without a difference and those of none but equal ones among them."""
    n, seeds = data.draw(st.integers(2, 7)), data.draw(st.integers(1, 4))
    whole = data.draw(arrays(np.int64, (2, n), elements=st.integers(0, 9)))
    whole[:, 0] += 1
    part = data.draw(arrays(np.int64, (2, n), elements=st.integers(0, 9))).clip(0, whole)
    if data.draw(st.booleans()):
        whole[1], part[1] = whole[0], part[0]
    by_seed = data.draw(arrays(np.float64, (seeds,), elements=st.floats(-0.2, 0.2)))
    difference = float(by_seed.mean())
    found = of_ratios(difference, (part[0], whole[0]), (part[1], whole[1]), by_seed)
    sides = [list(zip(part[side].tolist(), whole[side].tolist(), strict=True)) for side in (0, 1)]
    assert (float(found[0]), float(found[1])) == pytest.approx(slow(difference, sides, by_seed.tolist()), abs=1e-9)


def test_sides_that_never_differ_have_a_width_and_one_sentence_none() -> None:
    words = np.full(20, 8)
    for right in (words, words // 2, 0 * words):
        low, high, freedom = of_ratios(0.0, (right, words), (right, words))
        assert low == -high < -0.05
        assert freedom == 19
    for ends in of_ratios(0.1, ([3], [4]), ([2], [4])):
        assert np.isnan(ends)
    assert np.isnan(of_ratios(0.0, ([0, 0], [0, 0]), ([1, 1], [2, 2]))[0])  # F1 where nothing is there and nothing is told
    low, high, _ = of_sentences(1.0, np.ones(5), np.ones(5, bool))
    assert low < high == 1


def test_rows_are_by_themselves() -> None:
    draw = np.random.default_rng(0)
    whole = draw.integers(1, 9, (3, 12))
    sides = [(np.minimum(draw.integers(0, 9, (3, 12)), whole), whole) for _ in range(2)]
    difference = np.array([0.1, 0.0, -0.2])
    together = of_ratios(difference, *sides)
    for row in range(3):
        alone = of_ratios(difference[row], *((part[row], out_of[row]) for part, out_of in sides))
        np.testing.assert_allclose([each[row] for each in together], alone)


def test_seeds_that_lie_apart_widen_it() -> None:
    words = np.full(50, 4)
    one = (np.arange(50) % 4, words), (np.arange(1, 51) % 4, words)
    narrow, wide = (of_ratios(0.0, *one, [-spread, 0.0, spread]) for spread in (0.0, 0.3))
    assert narrow[1] - narrow[0] == pytest.approx(np.diff(of_ratios(0.0, *one)[:2])[0])
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])
    assert wide[2] < 4  # between three seeds there are two degrees of freedom


@pytest.mark.parametrize(("n", "logit", "seeds"), [(30, 1.5, 1), (100, 4.0, 1), (40, 1.5, 4)])
def test_intervals_hold_the_truth(n: int, logit: float, seeds: int) -> None:
    """Of probes whose right words depend within a sentence, in at least 95% of 500 trials less four standard errors."""
    draw = np.random.default_rng([n, seeds])
    held = 0
    for _ in range(500):
        size = draw.integers(3, 20, n)
        sentence = np.repeat(np.arange(n), size)
        easy = logit + draw.standard_normal(n)[sentence]
        right = []
        for _side in range(2):
            of_side = easy + 0.5 * draw.standard_normal(n)[sentence] + 0.15 * draw.standard_normal((seeds, 1)) * (seeds > 1)
            said = draw.random((seeds, len(sentence))) < 1 / (1 + np.exp(-of_side))
            right.append(np.stack([np.bincount(sentence, each, n) for each in said]))
        by_seed = (right[0].sum(1) - right[1].sum(1)) / size.sum()
        low, high, _ = of_ratios(by_seed.mean(), (right[0][0], size), (right[1][0], size), by_seed)
        held += low <= 0 <= high
    assert held / 500 > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 500)
