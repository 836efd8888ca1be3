"""Slow versions of what sets models side by side, from the definitions: loops over subsets, signs and pairs."""

from __future__ import annotations

import itertools
from statistics import fmean

import numpy as np


def mean_over_pairs(square: np.ndarray, languages: list[int]) -> float:
    return fmean(float(square[i, j]) for i, j in itertools.combinations(languages, 2))


def pseudo_values(square: np.ndarray) -> list[float]:
    """n · mean − (n − 1) · mean without the language, of every language."""
    n = len(square)
    whole = mean_over_pairs(square, list(range(n)))
    return [n * whole - (n - 1) * mean_over_pairs(square, [i for i in range(n) if i != k]) for k in range(n)]


def residuals(square: np.ndarray) -> np.ndarray:
    """What least squares on an intercept and a number a language leaves of each pair."""
    pairs = list(itertools.combinations(range(len(square)), 2))
    design = np.array([[1.0, *((place in pair) * 1.0 for place in range(len(square)))] for pair in pairs])
    outcome = np.array([square[pair] for pair in pairs])
    return np.asarray(outcome - design @ np.linalg.lstsq(design, outcome, rcond=None)[0])


def typical_interval(numbers: list[float]) -> tuple[float, float]:
    """The ends between which 95% of the gaps between all subsets' means lie, half a gap's share by a straight line."""
    n = len(numbers)
    every = [some for size in range(1, n + 1) for some in itertools.combinations(numbers, size)]
    ordered = sorted(fmean(some) for some in every)
    place = 0.025 * 2**n  # counted from 1
    below, part = int(place), place - int(place)
    low = ordered[below - 1] * (1 - part) + ordered[below] * part
    high = ordered[-below] * (1 - part) + ordered[-below - 1] * part
    return low, high


def t_squared(numbers: list[float]) -> float:
    mean, n = fmean(numbers), len(numbers)
    spread = sum((each - mean) ** 2 for each in numbers)
    if spread <= 1e-18 * sum(each**2 for each in numbers):
        return np.inf if abs(mean) > 0 else 0.0
    return mean**2 * n * (n - 1) / spread


def step_down(values: np.ndarray) -> dict[tuple[int, int], tuple[float, float]]:
    """p and corrected p of each two models of `values` [models, languages]: all signs, hypothesis after hypothesis.

    The one that is farthest from 0 is compared with the greatest of all under each choice of signs, the next with the greatest
    of the others, and so on; none is smaller than the one before.
    """
    models, n = values.shape
    pairs = list(itertools.combinations(range(models), 2))
    signs = list(itertools.product((1, -1), repeat=n))
    under = {
        (a, b): [t_squared([s * d for s, d in zip(each, values[a] - values[b], strict=True)]) for each in signs]
        for a, b in pairs
    }
    observed = {pair: under[pair][0] for pair in pairs}

    def share(pair: tuple[int, int], among: list[tuple[int, int]]) -> float:
        least = observed[pair] * (1 - 1e-7)
        return fmean(max(under[other][place] for other in among) >= least for place in range(len(signs)))

    left, before, found = sorted(pairs, key=lambda pair: -observed[pair]), 0.0, {}
    while left:
        before = max(before, share(left[0], left))
        found[left[0]] = share(left[0], [left[0]]), before
        left = left[1:]
    return found
