"""Correlations and intervals against numpy, simulation and published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.regression.linear_model import OLS

from isogloss.backend.metrics.correlation import (
    Correlation,
    partial_correlation,
    pearson,
    spearman,
    spearman_rows,
)


def test_pearson_is_numpys() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 50))
    found = pearson(x, x + y)
    assert found.value == pytest.approx(np.corrcoef(x, x + y)[0, 1])
    assert found.n == 50
    assert found.low < found.value < found.high
    assert found.p < 0.001


def test_spearman_is_pearson_of_ranks_and_blind_to_monotone_change() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 40))
    ranks = [np.argsort(np.argsort(values)) for values in (x, y)]
    assert spearman(x, y).value == pytest.approx(pearson(*ranks).value)
    assert spearman(np.exp(x), y**3).value == pytest.approx(spearman(x, y).value)


@pytest.mark.parametrize("n", [3, 5, 40, 3000])
@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_spearman_and_its_p_are_scipys_with_and_without_ties(n: int, decimals: int) -> None:
    x, noise = np.random.default_rng([n, decimals]).normal(size=(2, n)).round(decimals)
    for y in (noise, x + noise, -x):
        found, by_scipy = spearman(x, y), stats.spearmanr(x, y)
        assert found.value == pytest.approx(by_scipy.statistic, abs=1e-12)
        assert found.p == pytest.approx(by_scipy.pvalue, abs=1e-7)  # of what fits exactly, but for rounding


def test_pairs_with_a_nan_are_left_out() -> None:
    x, y = [1.0, 2, 3, math.nan, 5, 6], [2.0, 1, 4, 9, math.inf, 6]
    assert pearson(x, y) == pearson([1, 2, 3, 6], [2, 1, 4, 6])
    assert spearman(x, y).n == 4


@pytest.mark.parametrize("correlate", [pearson, spearman])
@pytest.mark.parametrize(
    ("x", "y"), [([], []), ([1], [2]), ([1, 1, 1, 1], [1, 2, 3, 4]), ([1, 2, 3], [5, 5, 5]), ([0.1 + 0.2, 0.3, 0.3], [1, 2, 3])]
)
def test_nothing_to_correlate_is_nan_without_a_warning(
    correlate: object, x: list[float], y: list[float], recwarn: pytest.WarningsRecorder
) -> None:
    found = correlate(x, y)  # type: ignore[operator]
    assert isinstance(found, Correlation)
    assert math.isnan(found.value)
    assert math.isnan(found.low)
    assert math.isnan(found.p)
    assert not recwarn.list


@pytest.mark.parametrize("correlate", [pearson, spearman])
def test_few_pairs_have_a_value_and_no_interval(correlate: object) -> None:
    found = correlate([1, 2, 3], [1, 3, 2])  # type: ignore[operator]
    assert found.value == pytest.approx(0.5)
    assert math.isnan(found.low)
    perfect = correlate([1, 2, 3, 4], [2, 4, 6, 8])  # type: ignore[operator]
    assert perfect.value == pytest.approx(1)
    assert perfect.low == pytest.approx(1)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="as many values"):
        pearson([1, 2], [1, 2, 3])


@pytest.mark.parametrize(("many", "one"), [(spearman_rows, spearman)])
@given(
    table=arrays(
        np.float64,
        st.tuples(st.just(2), st.integers(0, 4), st.integers(0, 12)),
        elements=st.sampled_from([0.0, 0.1, 0.30000000000000004, 0.3, 0.7, 1.0, -2.0, math.nan, math.inf]),
    )
)
def test_rows_are_correlated_as_each_alone(many: object, one: object, table: np.ndarray) -> None:
    """Few distinct values: ties, constants up to rounding, rows that lack values and rows of fewer than two or four."""
    found = many(*table)  # type: ignore[operator]
    for row, (x, y) in enumerate(zip(*table, strict=True)):
        alone = one(x, y)  # type: ignore[operator]
        assert found.n[row] == alone.n
        np.testing.assert_allclose(
            [found.value[row], found.low[row], found.high[row]], [alone.value, alone.low, alone.high], atol=1e-6
        )


@pytest.mark.parametrize(("many", "statistic"), [(spearman_rows, stats.spearmanr)])
def test_rows_are_scipys(many: object, statistic: object, recwarn: pytest.WarningsRecorder) -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 39, 630)).round(1)  # 630 values on some 70 steps: many ties
    found = many(x, x + y)  # type: ignore[operator]
    np.testing.assert_allclose(found.value, [statistic(a, b).statistic for a, b in zip(x, x + y, strict=True)], rtol=1e-12)  # type: ignore[operator]
    assert (found.n == 630).all()
    assert not recwarn.list


def test_tables_of_other_shapes_are_refused() -> None:
    for x, y in ((np.zeros((2, 3)), np.zeros((3, 2))), (np.zeros(3), np.zeros(3))):
        with pytest.raises(ValueError, match="one shape"):
            spearman_rows(x, y)


@pytest.mark.parametrize("correlate", [pearson, spearman])
def test_the_interval_covers_the_truth_about_19_times_in_20(correlate: object) -> None:
    generator, covered, rho = np.random.default_rng(2), 0, 0.6
    truth = rho if correlate is pearson else 6 / math.pi * math.asin(rho / 2)
    for _ in range(400):
        x, y = generator.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=60).T
        found = correlate(x, y)  # type: ignore[operator]
        covered += found.low <= truth <= found.high
    assert 0.91 < covered / 400 < 0.985


@pytest.mark.parametrize("ranks", [False, True])
@given(seed=st.integers(0, 10_000), n=st.integers(6, 30), more=st.integers(0, 3))
def test_a_partial_correlation_is_that_of_residuals_with_the_t_of_the_regression(
    ranks: bool, seed: int, n: int, more: int
) -> None:
    random = np.random.default_rng(seed)
    table = random.normal(size=(2 + more, n))
    table[0] += table[2:].sum(axis=0)
    table[1] -= 0.5 * table[2:].sum(axis=0)
    found = partial_correlation(table[0], table[1], list(table[2:]), ranks=ranks)
    values = stats.rankdata(table, axis=1) if ranks else table
    design = np.column_stack([np.ones(n), *values[2:]])
    left = [each - design @ np.linalg.inv(design.T @ design) @ design.T @ each for each in values[:2]]
    assert found.value == pytest.approx(np.corrcoef(left)[0, 1], abs=1e-9)
    if n > more + 3:
        fitted = OLS(values[1], np.column_stack([values[0], design])).fit()
        assert found.p == pytest.approx(fitted.pvalues[0], rel=1e-6, abs=1e-12)
    plain = (spearman if ranks else pearson)(table[0], table[1])
    if not more:
        assert [found.value, found.low, found.high] == pytest.approx([plain.value, plain.low, plain.high])
        assert found.p == pytest.approx(plain.p, rel=1e-6)


def test_one_control_is_the_textbooks_formula() -> None:
    x, y, z = np.random.default_rng(3).normal(size=(3, 40))
    x, y = x + z, y + 2 * z
    a, b, c = (np.corrcoef(one, other)[0, 1] for one, other in ((x, y), (x, z), (y, z)))
    expected = (a - b * c) / math.sqrt((1 - b**2) * (1 - c**2))
    assert partial_correlation(x, y, [z]).value == pytest.approx(expected)
    assert abs(expected) < 0.3 < a  # what both owe to z is gone


def test_a_control_that_leaves_nothing_or_says_nothing() -> None:
    x, y, z = np.random.default_rng(4).normal(size=(3, 20))
    assert math.isnan(partial_correlation(x, y, [2 * x + 1]).value)
    assert math.isnan(partial_correlation(np.ones(20), y, [z]).value)
    same = partial_correlation(x, y, [z])
    for controls in ([z, z], [z, np.full(20, 3.0)], [z, -z + 1]):
        found = partial_correlation(x, y, controls)
        assert [found.value, found.low, found.p] == pytest.approx([same.value, same.low, same.p])
    missing = np.where(np.arange(20) < 5, np.nan, z)
    assert partial_correlation(x, y, [missing]).n == 15
    assert partial_correlation([], [], [[]]).n == 0
    with pytest.raises(ValueError, match="shapes"):
        partial_correlation(x, y, [z[:-1]])
