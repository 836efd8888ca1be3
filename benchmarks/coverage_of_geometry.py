"""Heatmaps of differences between two checkpoints' geometry on the same sentences: intervals, and who is told apart.

A part of `python -m benchmarks.coverage`, as `coverage_of_differences` has it: twelve cells in which both are equal, or six of
them and six in which they differ. Before: the widest that there can be; now: the paired jackknife.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from benchmarks.coverage_of_differences import CELLS, DIMS, HEADER, TEXTS, line, translations
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.metrics.geometry.intervals import ends
from isogloss.backend.metrics.geometry.layer import geometry
from isogloss.backend.metrics.geometry.paired import difference_interval
from isogloss.backend.metrics.intervals import difference_ends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.coverage_of_differences import Floats, Text, Way

SENTENCES = (30, 100, 300)


def of_geometry(trials: int, seed: int) -> Iterator[str]:
    """Of each truth, measure and number of sentences a row, as `coverage_of_differences.of_differences` has them."""
    yield from HEADER
    for place, text in enumerate(TEXTS):
        for n in SENTENCES:
            draw = np.random.default_rng([seed, place, n])
            several = [_measured(draw, text, n) for _ in range(max(trials * 5 // n, 10))]
            for metric in several[0]:
                yield line(text.name, metric, n, [each[metric] for each in several])


def _measured(draw: np.random.Generator, text: Text, n: int) -> dict[str, tuple[Floats, list[Way]]]:
    """Return the differences of one heatmap in each measure, with both ways to an interval."""
    vectors = translations(draw, text, n).reshape(4 * CELLS, n, DIMS).astype(np.float32)
    pairs = [(2 * model, 2 * model + 1) for model in range(2 * CELLS)]
    found = geometry(torch.from_numpy(vectors), pairs=pairs, per_sentence=True)
    ways: dict[str, tuple[Floats, list[Way]]] = {}
    for metric, away in found.away.items():
        of_pairs = metric in found.of_pairs
        each = found.of_pairs[metric] if of_pairs else found.of_languages[metric]
        step = 1 if of_pairs else 2  # of a pair's first language
        value, error = (part.numpy()[::step].reshape(CELLS, 2) for part in (each.value, each.error))
        without = away.numpy()[::2].reshape(CELLS, 2, n)
        scale, bounds = KINDS[metric].scale, KINDS[metric].measure.bounds
        sides = [(value[:, side], *ends(scale, value[:, side], error[:, side], n)) for side in (1, 0)]
        if scale == "found":
            sides = [(value[:, side], *ends(scale, value[:, side], 0 * error[:, side] + 1, n)) for side in (1, 0)]
        widest = difference_ends(sides[0], sides[1], bounds=bounds)
        now = difference_interval(scale, (value[:, 1], without[:, 1]), (value[:, 0], without[:, 0]), bounds)
        ways[metric] = value[:, 1] - value[:, 0], [(*widest, np.inf), now]
    return ways
