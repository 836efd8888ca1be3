"""Permutation of languages against a loop over every order, on random, tied, missing and asymmetric input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from permutation_by_hand import correlation_p, regression_p, slope_t
from scipy import stats

from isogloss.backend.metrics.orders import orders
from isogloss.backend.metrics.permutation import correlation, correlations, regression


def matrices(seed: int, n: int, count: int, *, symmetric: bool, missing: float = 0.0, rounded: bool = False):
    random = np.random.default_rng(seed)
    found = random.normal(size=(count, n, n))
    if rounded:
        found = found.round(0)
    found[random.random(found.shape) < missing] = np.nan
    if symmetric:
        found = np.where(np.triu(np.ones((n, n), bool)), found, np.swapaxes(found, 1, 2))
    found[:, np.arange(n), np.arange(n)] = np.nan
    return found


@pytest.mark.parametrize("n", [3, 4, 5, 6])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(("missing", "rounded"), [(0.0, False), (0.15, False), (0.0, True), (0.15, True)])
def test_mantels_p_is_that_of_every_order(n: int, symmetric: bool, missing: float, rounded: bool) -> None:
    for seed in range(3):
        x, y = matrices(seed, n, 2, symmetric=symmetric, missing=missing, rounded=rounded)
        found = correlation(x, y + 0.5 * np.nan_to_num(x), pairs=True)
        assert found.exact
        assert found.amount == math.factorial(n)
        if math.isnan(found.value):
            assert math.isnan(found.p)
            continue
        known = np.isfinite(x) & np.isfinite(y)
        assert found.value == pytest.approx(np.corrcoef(x[known], (y + 0.5 * x)[known])[0, 1])
        assert found.p == pytest.approx(correlation_p(x, y + 0.5 * np.nan_to_num(x)))


@pytest.mark.parametrize("seed", range(4))
def test_values_a_language_are_permuted_by_themselves(seed: int) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, 6)).round(1)
    assert correlation(x, y, pairs=False).p == pytest.approx(correlation_p(x, y))


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.12])
def test_double_semi_partialling_is_that_of_every_order(n: int, symmetric: bool, missing: float) -> None:
    for seed in range(3):
        a, b, noise = matrices(seed, n, 3, symmetric=symmetric, missing=missing)
        y = a - 0.5 * b + noise
        found = regression(y, {"a": a, "b": b}, pairs=True)
        if symmetric:  # each pair counts once
            y = np.where(np.triu(np.ones((n, n), bool)), y, np.nan)
        for name, own, other in (("a", a, b), ("b", b, a)):
            expected = slope_t(y, own, [other])
            if math.isnan(expected):
                continue
            assert found[name].value == pytest.approx(expected)
            assert found[name].p == pytest.approx(regression_p(y, {"a": a, "b": b}, name))


def test_double_semi_partialling_of_values_a_language_and_of_one_predictor() -> None:
    a, b, y = np.random.default_rng(1).normal(size=(3, 6))
    found = regression(y, {"a": a, "b": b}, pairs=False)
    assert found["a"].p == pytest.approx(regression_p(y, {"a": a, "b": b}, "a"))
    one = regression(y, {"a": a}, pairs=False)["a"]
    assert one.p == pytest.approx(correlation(a, y, pairs=False).p)
    assert one.value == pytest.approx(stats.linregress(a, y).slope / stats.linregress(a, y).stderr)


def test_a_symmetric_matrix_has_the_p_of_its_two_halves() -> None:
    x, y = matrices(5, 9, 2, symmetric=True)
    other = y.copy()
    other[0, 1] += 1e-13  # no longer symmetric to the bit: both halves are taken
    one, both = correlation(x, y, pairs=True), correlation(x, other, pairs=True)
    assert one.value == pytest.approx(both.value)
    assert one.p == both.p


def test_ranks_are_spearmans_whatever_lies_on_the_diagonal() -> None:
    x, y = matrices(2, 7, 2, symmetric=False)
    diagonal = np.eye(7, dtype=bool)
    x[diagonal] = 0.0
    off = ~diagonal
    found = correlation(x, y, pairs=True, ranks=True)
    assert found.value == pytest.approx(stats.spearmanr(x[off], y[off]).statistic)
    again = correlation(np.exp(x), y**3, pairs=True, ranks=True)
    assert (again.value, again.p) == (pytest.approx(found.value), found.p)


def test_many_outcomes_at_once_are_each_by_itself() -> None:
    random = np.random.default_rng(3)
    x = matrices(0, 8, 1, symmetric=False)[0]
    outcomes = matrices(1, 8, 5, symmetric=False, missing=0.1)
    outcomes[1] = 2.0
    outcomes[2] = x * 1e-9 + random.normal(size=x.shape) * 1e-12  # small beside the others, and not constant
    outcomes[3] = np.nan
    found = correlations(x, outcomes, pairs=True, amount=199, seed=4)
    for place, outcome in enumerate(outcomes):
        alone = correlation(x, outcome, pairs=True, amount=199, seed=4)
        assert found.value[place] == pytest.approx(alone.value, nan_ok=True)
        assert found.p[place] == pytest.approx(alone.p, nan_ok=True)
    assert np.isnan(found.value[[1, 3]]).all()
    assert found.p[2] == 1 / 200


def test_a_stack_is_permuted_alike() -> None:
    """Two checkpoints, five languages: the loop over every order renames both."""
    x, y = matrices(0, 5, 2, symmetric=False), matrices(1, 5, 2, symmetric=False)
    found = correlation(x, y, pairs=True)
    given, exact = orders(5)
    assert exact
    off = ~np.eye(5, dtype=bool)
    many = [abs(np.corrcoef(x[:, order][:, :, order][:, off].ravel(), y[:, off].ravel())[0, 1]) for order in given]
    assert found.p == pytest.approx(np.mean([each >= many[0] - 1e-12 for each in many]))


def test_permutations_are_seeded_and_hold_the_given_order_first() -> None:
    given, exact = orders(10, 99, seed=7)
    assert not exact
    assert given.shape == (100, 10)
    assert (given[0] == np.arange(10)).all()
    assert (np.sort(given, axis=1) == np.arange(10)).all()
    assert (given == orders(10, 99, seed=7)[0]).all()
    assert (given != orders(10, 99, seed=8)[0]).any()


def test_independent_matrices_of_shared_languages_are_rarely_significant() -> None:
    """Where each language lifts all its pairs, plain p-values are far too small; permuting languages keeps the error rate."""
    plain, permuted = [], []
    for seed in range(120):
        random = np.random.default_rng(seed)
        x, y = (random.normal(size=(12, 1)) + random.normal(size=(1, 12)) for _ in range(2))
        off = ~np.eye(12, dtype=bool)
        plain.append(stats.pearsonr(x[off], y[off]).pvalue < 0.05)
        permuted.append(correlation(np.where(off, x, np.nan), np.where(off, y, np.nan), pairs=True, amount=199).p < 0.05)
    assert np.mean(plain) > 0.2
    assert np.mean(permuted) < 0.12


@pytest.mark.parametrize(
    ("x", "y"), [([1.0], [2.0]), ([1.0, 2.0], [1.0, 2.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]), ([math.nan] * 4, [1.0] * 4)]
)
def test_nothing_to_correlate_is_nan_without_a_warning(x, y, recwarn: pytest.WarningsRecorder) -> None:
    found = correlation(x, y, pairs=False)
    assert math.isnan(found.value)
    assert math.isnan(found.p)
    assert math.isnan(regression(y, {"x": x}, pairs=False)["x"].p)
    assert not recwarn.list


def test_shapes_that_differ_are_an_error() -> None:
    with pytest.raises(ValueError, match="as many on both sides"):
        correlation(np.zeros((3, 3)), np.zeros((4, 4)), pairs=True)
    with pytest.raises(ValueError, match="one shape"):
        regression(np.zeros(3), {"x": np.zeros(4)}, pairs=False)


@pytest.mark.parametrize(("shape", "pairs"), [((0,), False), ((3, 0), False), ((0, 0), True), ((3, 0, 0), True)])
@pytest.mark.parametrize("ranks", [False, True])
def test_without_a_language_there_is_no_correlation(shape: tuple[int, ...], pairs: bool, ranks: bool) -> None:
    """What two measures share at one checkpoint of many may be nothing."""
    found = correlations(np.zeros(shape), np.zeros((2, *shape)), pairs=pairs, ranks=ranks)
    assert np.isnan([*found.value, *found.p]).tolist() == [True] * 4
