"""Adjusted p-values against the definition, test by test."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.backend.metrics.many_tests import benjamini_hochberg


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
