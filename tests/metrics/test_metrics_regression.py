"""Least squares against normal equations, known coefficients and scipy, and the sentences of what cannot be fitted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from isogloss.backend.metrics.regression import fitted_line, least_squares, partial_residuals


def by_hand(y, x):
    """Coefficients, standard errors and R² from the normal equations."""
    design = np.column_stack([np.ones(len(y)), x])
    inverse = np.linalg.inv(design.T @ design)
    b = inverse @ design.T @ y
    left = y - design @ b
    error = np.sqrt(np.diag(inverse) * (left @ left) / (len(y) - design.shape[1]))
    return b, error, 1 - (left @ left) / ((y - y.mean()) @ (y - y.mean()))


@pytest.mark.parametrize("seed", range(5))
def test_all_numbers_are_those_of_the_normal_equations(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(8, 40))
    x = random.normal(size=(n, 3)) * [1.0, 1e-3, 1e4] + [0.0, 5.0, -1e5]
    y = x @ [1.0, 300.0, 1e-4] + random.normal(size=n)
    found = least_squares(y, {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    b, error, r2 = by_hand(y, x)
    each = (found.intercept, *found.coefficients)
    assert [c.name for c in each] == ["intercept", "a", "b", "c"]
    assert [c.value for c in each] == pytest.approx(b.tolist(), rel=1e-6)
    assert [c.standard_error for c in each] == pytest.approx(error.tolist(), rel=1e-6)
    t = b / error
    assert [c.p for c in each] == pytest.approx((2 * stats.t.sf(np.abs(t), n - 4)).tolist(), rel=1e-5)
    half = stats.t.ppf(0.975, n - 4) * error
    assert [c.low for c in each] == pytest.approx((b - half).tolist(), rel=1e-5)
    assert [c.high for c in each] == pytest.approx((b + half).tolist(), rel=1e-5)
    assert found.r2 == pytest.approx(r2)
    assert found.adjusted_r2 == pytest.approx(1 - (1 - r2) * (n - 1) / (n - 4))
    standardised = b[1:] * x.std(axis=0) / y.std()
    assert [c.standardised for c in found.coefficients] == pytest.approx(standardised.tolist(), rel=1e-6)
    assert math.isnan(found.intercept.standardised)


def test_known_coefficients_and_half_of_the_variance_come_back() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 4000))
    signal = 2.0 * a - 1.0 * b
    y = 0.5 + signal + random.normal(size=4000) * signal.std()
    found = least_squares(y, {"a": a, "b": b})
    assert found.r2 == pytest.approx(0.5, abs=0.03)
    assert found.intercept.value == pytest.approx(0.5, abs=0.1)
    assert [c.value for c in found.coefficients] == pytest.approx([2.0, -1.0], abs=0.15)
    assert all(c.low < c.value < c.high and c.p < 1e-6 for c in found.coefficients)


def test_rows_without_a_number_are_left_out_and_counted() -> None:
    random = np.random.default_rng(1)
    a, b, noise = random.normal(size=(3, 30))
    y = a + noise
    a[3], b[7], y[3], y[11] = math.nan, math.inf, math.nan, math.nan
    found = least_squares(y, {"a": a, "b": b})
    kept = [i for i in range(30) if i not in (3, 7, 11)]
    again = least_squares(y[kept], {"a": a[kept], "b": b[kept]})
    assert (found.n, found.left_out) == (27, 3)
    assert found.coefficients == again.coefficients
    assert (again.n, again.left_out) == (27, 0)


@pytest.mark.parametrize(
    ("y", "predictors", "sentence"),
    [
        ([1.0, 2.0, 3.0], {}, "at least one predictor"),
        ([1.0, 2.0], {"LD": [1.0, 2.0]}, r"1 predictor needs at least 3 rows .*; there are 2\."),
        ([1.0, 2.0, math.nan, 5.0], {"LD": [1.0, 3.0, 2.0, 9.0], "MD": [4.0, 5.0, 1.0, 1.0]}, r"4 rows .*are 3 \(1 lack"),
        ([], {"LD": []}, "there are 0"),
        ([1.0, 2.0, 4.0], {"LD": [3.0, 3.0, 3.0]}, "“LD” is the same in all 3 rows"),
        ([1.0, 2.0, 4.0], {"LD": [0.1 + 0.2, 0.3, 0.3]}, "“LD” is the same"),
        ([2.0, 2.0, 2.0], {"LD": [1.0, 2.0, 3.0]}, "outcome is the same"),
        ([1.0, 2.0, 4.0, 3.0], {"LD": [1.0, 2.0, 3.0, 5.0], "MD": [-1.0, -3.0, -5.0, -9.0]}, "“MD” follows from “LD” exactly"),
        ([1.0, 2.0, 4.0], {"LD": [1.0, 2.0]}, "“LD” has 2 rows where the outcome has 3"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(y, predictors, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        least_squares(y, predictors)


def test_the_slope_of_a_partial_plot_is_the_coefficient() -> None:
    random = np.random.default_rng(2)
    a, b, c, noise = random.normal(size=(4, 50))
    b = b + 0.8 * a
    y = 2 * a - b + 0.2 * c + noise
    y[4] = math.nan
    predictors = {"a": a, "b": b, "c": c}
    found = least_squares(y, predictors)
    for coefficient in found.coefficients:
        x, left = partial_residuals(y, predictors, coefficient.name)
        assert np.isnan(x[4])
        known = np.isfinite(x)
        assert stats.linregress(x[known], left[known]).slope == pytest.approx(coefficient.value)


def test_a_line_and_its_band_are_those_of_the_regression() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=20)
    y = 3 * x + random.normal(size=20)
    line = fitted_line(np.append(x, math.nan), np.append(y, 1.0), places=5)
    assert line is not None
    fit = stats.linregress(x, y)
    assert line.y == pytest.approx(fit.intercept + fit.slope * line.x)
    # Where x is 0 the line is the intercept, and so is its interval.
    moved = fitted_line(x - line.x[2], y, places=5)
    intercept = least_squares(y, {"x": x - line.x[2]}).intercept
    assert moved is not None
    assert (moved.low[2], moved.high[2]) == (pytest.approx(intercept.low), pytest.approx(intercept.high))


def test_a_line_needs_two_places_and_a_band_three_points() -> None:
    assert fitted_line([1.0], [2.0]) is None
    assert fitted_line([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) is None
    line = fitted_line([0.0, 1.0], [0.0, 2.0], places=3)
    assert line is not None
    assert line.y.tolist() == [0.0, 1.0, 2.0]
    assert np.isnan(line.low).all()
