"""Ordinary least squares with any predictors (de Seyssel et al. 2025, section 5.2: Accuracy ~ LD + MD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from isogloss.backend.metrics.intervals import IntervalEstimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

CONSTANT = 1e-13
"""A column that varies by less than this share of its size does not vary but for rounding."""
COLLINEAR = 1e-9
"""A predictor of which the others leave less than this share (of its variance) is one of their combinations."""


@dataclass(frozen=True)
class Coefficient(IntervalEstimate[float]):
    """The slope of one predictor: by how much the outcome changes with one unit of it, the others held fixed.

    The interval is Student's, `p` is two-sided. Both take the rows as independent.
    """

    name: str
    standard_error: float
    t: float
    p: float
    standardised: float
    """The slope when outcome and predictor are counted in standard deviations; nan for the intercept."""


@dataclass(frozen=True)
class Regression:
    """An outcome fitted by least squares on predictors and an intercept."""

    r2: float
    """Share of the outcome's variance that the predictors take up, 0 to 1."""
    adjusted_r2: float
    """The same less what as many random predictors would take up; may be below 0."""
    p: float
    """Of the F test that all slopes are 0."""
    n: int
    """Rows without a missing number."""
    left_out: int
    """Rows with one."""
    intercept: Coefficient
    coefficients: tuple[Coefficient, ...]


def least_squares(outcome: ArrayLike, predictors: Mapping[str, ArrayLike]) -> Regression:
    """Fit `outcome` [rows] on an intercept and the `predictors`, each [rows] by its name.

    Rows where any of them is not a finite number are left out and counted. Raises ValueError, with a sentence for people, where
    there is no predictor, lengths differ, too few rows are left, or a column is constant or a combination of the others.
    """
    from statsmodels.regression.linear_model import OLS  # half a second that other pages need not wait for

    y, x, complete = _complete(outcome, predictors)
    _check(y, x, tuple(predictors), int((~complete).sum()))
    fitted = OLS(y, np.column_stack([np.ones(len(y)), x])).fit()
    low, high = fitted.conf_int(0.05).T
    scale = np.concatenate([[np.nan], x.std(axis=0, ddof=1) / y.std(ddof=1)])
    slopes = np.stack([fitted.params, low, high, fitted.bse, fitted.tvalues, fitted.pvalues, fitted.params * scale], axis=1)
    coefficients = [_coefficient(*each) for each in zip(("intercept", *predictors), slopes.tolist(), strict=True)]
    return Regression(
        r2=float(fitted.rsquared),
        adjusted_r2=float(fitted.rsquared_adj),
        p=float(fitted.f_pvalue),
        n=len(y),
        left_out=int((~complete).sum()),
        intercept=coefficients[0],
        coefficients=tuple(coefficients[1:]),
    )


def _coefficient(name: str, numbers: list[float]) -> Coefficient:
    value, low, high, *others = numbers
    return Coefficient(value, low, high, name, *others)


def partial_residuals(
    outcome: ArrayLike, predictors: Mapping[str, ArrayLike], name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the other predictors leave of `name` and of the outcome: x and y [rows] of its partial (added-variable) plot.

    The slope of y on x is the predictor's coefficient in the regression on all. nan in rows that the regression leaves out.
    Raises ValueError as `least_squares` does.
    """
    y, x, complete = _complete(outcome, predictors)
    names = tuple(predictors)
    _check(y, x, names, int((~complete).sum()))
    own = names.index(name)
    others = np.column_stack([np.ones(len(y)), np.delete(x, own, axis=1)])
    both = np.column_stack([x[:, own], y])
    residuals = both - others @ np.linalg.lstsq(others, both, rcond=None)[0]
    found = np.full((len(complete), 2), np.nan)
    found[complete] = residuals
    return found[:, 0], found[:, 1]


@dataclass(frozen=True)
class Line:
    """A least-squares line and the 95% band of its mean: arrays [places]."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def fitted_line(x: ArrayLike, y: ArrayLike, places: int = 60) -> Line | None:
    """Return the line of y on x at `places` from the lowest x to the highest; None with fewer than two points or a constant x.

    The band is nan for two points. Pairs with a nan are left out; the band takes the points as independent.
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    if len(a) < 2 or _constant(a):
        return None
    moved = a - a.mean()
    squares = float(moved @ moved)
    slope = float(moved @ b) / squares
    at = np.linspace(a.min(), a.max(), places)
    middle = b.mean() + slope * (at - a.mean())
    if len(a) < 3:
        return Line(at, middle, np.full(places, np.nan), np.full(places, np.nan))
    left = b - b.mean() - slope * moved
    error = np.sqrt(float(left @ left) / (len(a) - 2) * (1 / len(a) + (at - a.mean()) ** 2 / squares))
    half = float(stdtrit(len(a) - 2, 0.975)) * error
    return Line(at, middle, middle - half, middle + half)


def _complete(
    outcome: ArrayLike, predictors: Mapping[str, ArrayLike]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the outcome and the predictors [rows, predictors] in the rows that have all, and which rows those are."""
    if not predictors:
        raise ValueError("A regression needs at least one predictor.")
    y = np.asarray(outcome, np.float64)
    columns = {name: np.asarray(values, np.float64) for name, values in predictors.items()}
    for name, values in columns.items():
        if values.shape != y.shape or y.ndim != 1:
            raise ValueError(f"“{name}” has {values.size} rows where the outcome has {y.size}; a regression needs as many.")
    x = np.column_stack(list(columns.values()))
    complete: NDArray[np.bool_] = np.isfinite(y) & np.isfinite(x).all(axis=1)
    return y[complete], x[complete], complete


def _check(y: NDArray[np.float64], x: NDArray[np.float64], names: tuple[str, ...], left_out: int) -> None:
    """Raise ValueError where the fit would not be one."""
    needed = len(names) + 2
    if len(y) < needed:
        without = f" ({left_out} lack a number)" if left_out else ""
        many = "1 predictor needs" if len(names) == 1 else f"{len(names)} predictors need"
        raise ValueError(f"{many} at least {needed} rows that have every number; there are {len(y)}{without}.")
    if _constant(y):
        raise ValueError(f"The outcome is the same in all {len(y)} rows: there is nothing to predict.")
    for name, values in zip(names, x.T, strict=True):
        if _constant(values):
            raise ValueError(f"“{name}” is the same in all {len(y)} rows and predicts nothing. Leave it out.")
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    for place in range(1, len(names)):
        before = scaled[:, :place]
        left = scaled[:, place] - before @ np.linalg.lstsq(before, scaled[:, place], rcond=None)[0]
        if float(left @ left) < COLLINEAR * len(y):
            others = " and ".join(f"“{name}”" for name in names[:place])
            raise ValueError(f"“{names[place]}” follows from {others} exactly, so slopes cannot be told apart. Leave one out.")


def _constant(values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(values) <= CONSTANT * np.abs(values).max())
