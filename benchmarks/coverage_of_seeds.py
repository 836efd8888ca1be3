"""Intervals over seeds held against trainings that are drawn: how often they hold the mean of all, and how wide they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.intervals import Z95
from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.backend.metrics.ranking.apart import differences
from isogloss.backend.metrics.ranking.seeds import Seeds, together
from isogloss.backend.metrics.ranking.shared import of_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Draw = Callable[[np.random.Generator, int], Floats]

LANGUAGES, CELLS, LEVEL = 36, 12, 0.05
SEEDS = ((2, 2), (3, 3), (5, 5), (5, 25), (25, 25))
"""Of both models; the second's lie three times as far apart."""
SPREAD = np.array([0.01, 0.03])
SHAPES: dict[str, Draw] = {
    "normal": lambda draw, n: draw.standard_normal(n),
    "heavy tails (t, 3)": lambda draw, n: draw.standard_t(3, n) / 3**0.5,
    "skewed (lognormal)": lambda draw, n: (draw.lognormal(0, 1, n) - np.exp(0.5)) / 2.16,
}


def of_seeds(trials: int, seed: int) -> Iterator[str]:
    """Of each shape and number of seeds a row: a mean's interval and a difference's, plain and now, and languages' alone."""
    told = "any of twelve equal told: normal p | Welch's p (now)"
    plain = "mean ± 1.96 se | Student (now) | difference ± 1.96 se | Welch (now) | over languages alone"
    yield f"| seeds lie | seeds | {plain} | {told} |"
    yield f"|{'---|' * 9}"
    for place, (name, shape) in enumerate(SHAPES.items()):
        for one, other in SEEDS:
            draw = np.random.default_rng([seed, place, one, other])
            found = np.mean([_trial(draw, shape, [0] * one + [1] * other) for _ in range(trials)], axis=0)
            cells = " | ".join(f"{held:.3f}, {width:.4f}" for held, width in found.reshape(-1, 2))
            any_told = np.mean([_told(draw, shape, (one, other)) for _ in range(trials // 4)], axis=0)
            yield f"| {name} | {one}, {other} | {cells} | {any_told[0]:.3f} | {any_told[1]:.3f} |"


def _trial(draw: np.random.Generator, shape: Draw, of: list[int]) -> list[float]:
    """Return of each interval whether it holds the mean of all trainings (0 here; these languages) and its width."""
    hard = draw.standard_normal(LANGUAGES)
    own = (SPREAD[of] * shape(draw, len(of)))[:, None] + 0.01 * draw.standard_normal((len(of), LANGUAGES))
    shared = of_numbers(own + hard - hard.mean())
    assert shared is not None
    one, seeds = together(shared, of)
    error = seeds.deviation / np.sqrt(seeds.count)
    value, both = seeds.value, float(np.hypot(*error))
    (low, _), (high, _) = seeds.ends()
    between, languages = seeds.differences(), differences(one.of)
    away = value[0] - value[1]
    intervals = [
        (value[0] - Z95 * error[0], value[0] + Z95 * error[0]),
        (low, high),
        (away - Z95 * both, away + Z95 * both),
        (between.low[0, 1], between.high[0, 1]),
        (languages.low[0, 1], languages.high[0, 1]),
    ]
    return [float(number) for low, high in intervals for number in (low <= 0 <= high, high - low)]


def _told(draw: np.random.Generator, shape: Draw, count: tuple[int, int]) -> list[bool]:
    """Return whether any of twelve cells, in which both models are equal, is told after Benjamini & Hochberg, by either p."""
    seeds = []
    for _ in range(CELLS):
        values = [spread * shape(draw, amount) for spread, amount in zip(SPREAD, count, strict=True)]
        mean, deviation = (
            [getattr(each, name)(**more) for each in values] for name, more in (("mean", {}), ("std", {"ddof": 1}))
        )
        seeds.append(Seeds(np.array(mean), np.array(count), np.array(deviation)))
    found = [each.differences() for each in seeds]
    value, low, high = (np.array([getattr(each, end)[0, 1] for each in found]) for end in ("value", "low", "high"))
    freedom = np.array([each.freedom()[0, 1] for each in seeds])
    return [bool((benjamini_hochberg(p_of_intervals(value, low, high, each)) < LEVEL).any()) for each in (np.inf, freedom)]
