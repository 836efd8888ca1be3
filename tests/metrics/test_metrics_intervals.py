"""Wilson's interval, and that of ABX from its jackknife: against other libraries, slow versions and simulated truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.intervals import (
    Z95,
    difference_ends,
    effective_trials,
    jackknife_interval,
    median_interval,
    normal_as_jackknife,
    wilson_interval,
)

SHARES = st.one_of(st.just(0.0), st.just(1.0), st.floats(1e-9, 1 - 1e-9))
ERRORS = st.one_of(st.just(0.0), st.floats(1e-9, 0.5))


def test_wilson_gives_the_textbook_interval() -> None:
    low, high = wilson_interval([0.0, 0.5, 1.0], 10)
    np.testing.assert_allclose(low, [0, 0.2366, 0.7225], atol=1e-4)
    np.testing.assert_allclose(high, [0.2775, 0.7634, 1], atol=1e-4)
    assert np.isnan(wilson_interval(math.nan, 10)[0])
    assert np.isnan(wilson_interval(0.5, 0)[0])


@pytest.mark.parametrize(("right", "n"), [(0, 3), (1, 7), (29, 30), (30, 30), (994, 997), (1, 100_000)])
def test_wilson_is_that_of_scipy_and_statsmodels(right: int, n: int) -> None:
    found = [float(end) for end in wilson_interval(right / n, n)]
    assert found == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)
    ends = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert found == pytest.approx([ends.low, ends.high], abs=1e-12)
    # Half the width that it has with another quantile is that of another confidence.
    assert wilson_interval(right / n, n, stats.norm.ppf(0.995))[0] == pytest.approx(
        proportion_confint(right, n, alpha=0.01, method="wilson")[0], abs=1e-12
    )


@given(SHARES, st.integers(1, 10_000))
def test_wilson_holds_the_proportion(share: float, n: int) -> None:
    low, high = wilson_interval(share, n)
    assert 0 <= low <= share <= high <= 1


@given(SHARES, ERRORS, st.integers(3, 5_000))
def test_of_abx_it_holds_the_score_and_is_never_empty(value: float, error: float, n: int) -> None:
    low, high = (float(end) for end in jackknife_interval(value, error, n))
    assert 0 <= low <= value <= high <= 1
    assert high - low > 1e-9
    # It is Wilson's: both ends lie 1.96 of their own standard errors from the score, with as many trials as are worth it.
    wrong = value * (1 - value)
    trials = min(wrong / error**2 if wrong and error else math.inf, 2 * n * (1 + (n * wrong) ** 2))
    for end in (low, high):
        assert (value - end) ** 2 * trials == pytest.approx(Z95**2 * end * (1 - end), rel=1e-5, abs=1e-9)


@given(SHARES, ERRORS, st.integers(3, 2_000), st.integers(1, 500))
def test_more_sentences_never_widen_it(value: float, error: float, n: int, more: int) -> None:
    few, many = (np.subtract(*jackknife_interval(value, error, each)[::-1]) for each in (n, n + more))
    assert many <= few + 1e-12


def test_of_30_sentences_that_are_all_right_it_says_what_a_sentence_may_lose() -> None:
    low, high = jackknife_interval(1.0, 0.0, 30)
    assert [float(low), float(high)] == pytest.approx(proportion_confint(60, 60, method="wilson"))
    assert np.isnan(jackknife_interval(0.7, math.nan, 2)).all()
    assert np.isnan(effective_trials(1.0, math.nan, 30))
    # All ties: nothing varies, and nothing is known of how it would.
    assert np.subtract(*jackknife_interval(0.5, 0.0, 30)[::-1]) > 0.01


@given(SHARES, st.one_of(st.just(0.0), st.floats(1e-6, 0.2)), st.integers(3, 2_000))
def test_what_was_stored_gives_the_standard_error_back(value: float, error: float, n: int) -> None:
    stored = max(value - Z95 * error, 0.0), min(value + Z95 * error, 1.0)
    found, expected = normal_as_jackknife(value, *stored, n), jackknife_interval(value, error, n)
    if stored == (0, 1):
        assert tuple(map(float, found)) == stored, "of which error it is nothing says"
    else:
        assert list(map(float, found)) == pytest.approx(list(map(float, expected)), abs=1e-7)


@given(st.lists(SHARES, min_size=3, max_size=3), st.lists(SHARES, min_size=3, max_size=3))
def test_a_difference_is_lowest_where_the_first_is_low_and_the_second_high(one: list[float], two: list[float]) -> None:
    (low, value, high), (its_low, other, its_high) = sorted(one), sorted(two)
    first, second = (value, low, high), (other, its_low, its_high)
    widest, apart = difference_ends(first, second), difference_ends(first, second, apart=True)
    assert np.array(widest) == pytest.approx([low - its_high, high - its_low])
    assert widest[0] - 1e-12 <= apart[0] <= value - other <= apart[1] <= widest[1] + 1e-12
    back = difference_ends(second, first, apart=True)
    assert np.array(apart) == pytest.approx([-back[1], -back[0]])


@pytest.mark.parametrize(("clean", "lost", "truth"), [(0.2, 0.02, 0.99), (0.55, 0.0, 0.9995)])
def test_near_1_it_holds_the_truth_with_30_sentences(clean: float, lost: float, truth: float) -> None:
    """Where value ± 1.96 standard errors does in 40%: with sentences whose translations are others, and without."""
    draw, trials, n = np.random.default_rng(4), 300, 30
    meaning = draw.standard_normal((trials, 1, n, 24))
    vectors = meaning + clean * draw.standard_normal((trials, 2, n, 24))
    vectors[:, 1] = np.where(draw.random((trials, n, 1)) < lost, draw.standard_normal((trials, n, 24)), vectors[:, 1])
    places = np.arange(0, 2 * trials, 2)
    found = discrimination(torch.from_numpy(vectors.reshape(-1, n, 24)), pairs=[(i, i + 1) for i in places])
    value, error = (score[places, places + 1].numpy() for score in (found.meaning, found.meaning_se))
    low, high = jackknife_interval(value, error, n)
    assert value.mean() == pytest.approx(truth, abs=0.003)
    assert ((low <= truth) & (truth <= high)).mean() > 0.9
    assert ((value - Z95 * error <= truth) & (truth <= value + Z95 * error)).mean() < 0.7


@pytest.mark.parametrize("n", [1, 5, 6, 17, 40, 200])
def test_a_medians_interval_is_the_narrowest_that_coins_allow(n: int) -> None:
    values = np.random.default_rng(n).permutation(n).astype(float)[:, None]
    low, high = median_interval(np.hstack([values, -values]))
    chance = [sum(math.comb(n, heads) for heads in range(k)) / 2**n for k in range(1, n // 2 + 2)]  # of fewer than k of n
    able = [k for k, each in enumerate(chance, 1) if each <= 0.025]
    if not able:
        assert np.isnan([low, high]).all()
        return
    assert (low[0], high[0]) == (able[-1] - 1, n - able[-1])
    assert (low[1], high[1]) == (-high[0], -low[0])


def test_a_medians_interval_holds_it_as_often_as_it_says() -> None:
    draw = np.random.default_rng(0).lognormal(0, 2, (60, 4000))
    low, high = median_interval(draw)
    assert 0.95 <= np.mean((low <= 1) & (high >= 1)) <= 0.975
