"""Rows of groups in heatmaps of differences: languages whose test sentences are the same ones, so that errors are shared.

A part of `python -m benchmarks.coverage`. Two models are equal but for what each language adds; the group's mean is told where
its p is below .05. Before: over languages alone; now: with what the languages' own intervals allow on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.compared import of_groups
from isogloss.backend.metrics.intervals import Z95

if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCES, OWN = 500, 0.5
"""How differently hard a sentence is for a model in one language alone: a deviation of the logit."""


def of_shared(trials: int, seed: int) -> Iterator[str]:
    """Of each amount of what is shared and added, and each number of languages, a row."""
    yield "| shared by languages | added by each | languages | before: held, told | now: held, told | error |"
    yield f"|{'---|' * 6}"
    for place, (shared, added) in enumerate(((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 0.05), (0.5, 0.05))):
        for languages in (3, 20, 77):
            draw = np.random.default_rng([seed, place, languages])
            found = np.mean([_trial(draw, shared, added, languages) for _ in range(trials)], axis=0)
            error = (0.05 * 0.95 / trials) ** 0.5
            said = " | ".join(f"{held:.3f}, {told:.3f}" for held, told in found)
            yield f"| {shared} | {added} | {languages} | {said} | {error:.3f} |"


def _trial(draw: np.random.Generator, shared: float, added: float, languages: int) -> list[tuple[bool, bool]]:
    """Return of both ways whether the interval holds 0, which is the truth, and whether p tells a difference."""
    easy = 1 + draw.standard_normal(SENTENCES) + shared * draw.standard_normal((2, 1, SENTENCES))
    logit = easy + OWN * draw.standard_normal((2, languages, SENTENCES))
    right = draw.random(logit.shape) < 1 / (1 + np.exp(-logit))
    each = right[0].astype(float) - right[1]
    value = (each.mean(axis=1) + added * draw.standard_normal(languages))[:, None]
    half = Z95 * each.std(axis=1, ddof=1)[:, None] / SENTENCES**0.5
    ways = []
    for own in (0 * half, half):
        group = (value, value - own, value + own), np.ones((languages, 1)), [range(languages)]
        low, high, p = of_groups(*group, over_pairs=False)
        ways.append((bool(low[0, 0] <= 0 <= high[0, 0]), bool(p[0, 0] < 0.05)))
    return ways
