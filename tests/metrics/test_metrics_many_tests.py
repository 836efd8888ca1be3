"""Adjusted p-values against the definition, test by test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals


def by_definition(p: list[float]) -> list[float]:
    """Return the least rate q at which each test is rejected: those up to the largest k with p₍ₖ₎ ≤ q k / m are."""
    ordered, m = sorted(p), len(p)
    rates = sorted(m * value / (place + 1) for place, value in enumerate(ordered))

    def rejected(value: float, rate: float) -> bool:
        last = max((k for k in range(1, m + 1) if ordered[k - 1] <= rate * k / m * (1 + 1e-12)), default=0)
        return last > 0 and value <= ordered[last - 1]

    return [next(rate for rate in rates if rejected(value, rate)) for value in p]


@pytest.mark.parametrize("seed", range(6))
def test_a_p_is_adjusted_to_the_rate_at_which_its_test_is_rejected(seed: int) -> None:
    random = np.random.default_rng(seed)
    p = random.random(1 + 4 * seed) ** 3
    p = p.round(2) if seed % 2 else p  # ties
    expected = by_definition(p.tolist())
    assert benjamini_hochberg(p) == pytest.approx(expected)
    twice = benjamini_hochberg(np.array([p, p]))
    assert twice[1] == pytest.approx(expected)
    assert benjamini_hochberg([np.nan, *p, np.nan])[1:-1] == pytest.approx(expected)


def test_what_is_no_test_stays_none() -> None:
    assert benjamini_hochberg([]).shape == (0,)
    assert np.isnan(benjamini_hochberg([np.nan, 0.2])).tolist() == [True, False]


def test_a_p_from_an_interval_is_below_5_percent_where_0_lies_outside() -> None:
    """The normal p of z = value / standard error, by its own integral; ends of unlike distances count by the side of 0."""
    for value, low, high in ((0.2, 0.01, 0.3), (0.2, -0.01, 0.9), (-0.2, -0.9, -0.001), (-0.2, -0.21, 0.02), (1.5, 1.4, 9.0)):
        error = (value - low if value > 0 else high - value) / 1.959963984540054
        expected = math.erfc(abs(value) / error / math.sqrt(2))
        found = float(p_of_intervals(value, low, high))
        assert found == pytest.approx(expected)
        assert (found < 0.05) == (low > 0 or high < 0)


def test_a_p_from_students_interval_is_his() -> None:
    freedom = np.array([1, 2, 9, 30, np.inf])
    error, value = 0.1, np.array([0.4, -0.5, 0.2, 0.3, 0.2])
    half = stats.t.ppf(0.975, freedom) * error
    expected = 2 * stats.t.sf(np.abs(value) / error, freedom)
    assert p_of_intervals(value, value - half, value + half, freedom) == pytest.approx(expected)
    assert p_of_intervals(value, value - half, value + half, np.where(np.isinf(freedom), np.nan, freedom)) == pytest.approx(
        expected
    )


def test_a_p_from_an_interval_that_is_none_or_a_point() -> None:
    found = p_of_intervals([0.0, 0.3, 0.0, 0.1, np.nan], [-0.1, 0.3, 0.0, np.nan, 0.0], [0.1, 0.3, 0.0, 0.3, 1.0])
    assert found[:3].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(found[3:]).all()
    assert p_of_intervals(0.1, -0.1, 0.3) == pytest.approx(float(p_of_intervals(-0.1, -0.3, 0.1)))
