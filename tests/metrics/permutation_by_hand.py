"""The quadratic assignment procedure with a loop over every order of the languages and numpy's own correlation and solver."""

from __future__ import annotations

import itertools
import math

import numpy as np


def correlate(x, y) -> float:
    known = np.isfinite(x) & np.isfinite(y)
    a, b = x[known], y[known]
    if len(a) < 3 or np.ptp(a) < 1e-12 or np.ptp(b) < 1e-12:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def renamed(x, order):
    """The matrix (or the values) as if language i were called order[i]."""
    n = len(order)
    found = np.full_like(x, np.nan)
    for i in range(n):
        if x.ndim == 1:
            found[i] = x[order[i]]
            continue
        for j in range(n):
            found[i, j] = x[order[i], order[j]]
    return found


def share(observed: float, others: list[float]) -> float:
    defined = [each for each in others if not math.isnan(each)]
    return sum(abs(each) >= abs(observed) - 1e-9 for each in defined) / len(defined)


def correlation_p(x, y) -> float:
    observed = correlate(x, y)
    return share(observed, [correlate(renamed(x, order), y) for order in itertools.permutations(range(len(x)))])


def slope_t(y, x, others) -> float:
    known = np.isfinite(np.stack([y, x, *others])).all(axis=0)
    design = np.column_stack([np.ones(known.sum()), *(each[known] for each in others), x[known]])
    if len(design) <= design.shape[1] or np.linalg.matrix_rank(design) < design.shape[1]:
        return math.nan
    b = np.linalg.lstsq(design, y[known], rcond=None)[0]
    left = y[known] - design @ b
    variance = left @ left / (len(design) - design.shape[1])
    return float(b[-1] / np.sqrt(variance * np.linalg.inv(design.T @ design)[-1, -1]))


def regression_p(y, predictors, name) -> float:
    x = predictors[name]
    others = [each for other, each in predictors.items() if other != name]
    known = np.isfinite(np.stack([x, *others])).all(axis=0)
    design = np.column_stack([np.ones(known.sum()), *(each[known] for each in others)])
    left = np.full_like(x, np.nan)
    left[known] = x[known] - design @ np.linalg.lstsq(design, x[known], rcond=None)[0]
    observed = slope_t(y, x, others)
    return share(observed, [slope_t(y, renamed(left, order), others) for order in itertools.permutations(range(len(x)))])
