"""Ranks against scipy's: ties, gaps, constants, numbers too close or too far apart for 32 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from isogloss.backend.metrics import ranks
from isogloss.backend.metrics.correlation import pearson, spearman, with_interval


def by_scipy(row):
    found = np.full(len(row), np.nan)
    found[~np.isnan(row)] = stats.rankdata(row[~np.isnan(row)])
    return found


@settings(max_examples=200, deadline=None)
@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(0, 40)), elements=st.floats(width=64)))
def test_ranks_are_scipys(values) -> None:
    for least in (1, ranks.MANY):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ranks, "MANY", least)
            np.testing.assert_array_equal(
                ranks.ranks(values), np.array([by_scipy(row) for row in values]).reshape(values.shape)
            )


@pytest.mark.parametrize(
    "scale", [lambda x: x, np.round, np.exp, lambda x: 1 + 1e-14 * x, lambda x: 0 * x, lambda x: 1e307 * x, lambda x: x**9]
)
def test_many_numbers_are_ranked_as_few(scale) -> None:
    values = scale(np.random.default_rng(0).normal(size=(2, 3 * ranks.MANY)))
    values[1, :5] = np.nan
    np.testing.assert_array_equal(ranks.ranks(values), [by_scipy(row) for row in values])


@pytest.mark.parametrize("n", [3, 4, 30])
def test_the_interval_of_a_coefficient_is_that_of_its_values(n: int) -> None:
    x, y = np.random.default_rng(n).normal(size=(2, n))
    for of, by_ranks in ((pearson(x, y), False), (spearman(x, y), True), (pearson(x, 2 * x), False)):
        found = with_interval(of.value, n, ranks=by_ranks)
        np.testing.assert_array_equal([found.value, found.low, found.high, found.n], [of.value, of.low, of.high, n])
