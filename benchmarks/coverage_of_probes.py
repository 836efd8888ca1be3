"""Heatmaps of differences between two checkpoints' probes on the same sentences: intervals, and who is told apart.

A part of `python -m benchmarks.coverage`, as `coverage_of_differences` has it: twelve cells in which both are equal, or six of
them and six in which they differ. Before: the widest that there can be; now: paired over sentences, of one seed whose answers
are kept, with the spread between seeds, or the widest where that is narrower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.coverage_of_differences import CELLS, EQUAL, HEADER, line
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.metrics.paired import of_ratios
from isogloss.backend.metrics.probing.scores import accuracy, sentence_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.coverage_of_differences import Floats, Way

SENTENCES = (30, 100, 400)


@dataclass(frozen=True)
class Probe:
    """How likely probes are right: logits, each a deviation but for the mean."""

    name: str
    logit: float = 1.5
    sentence: float = 1.0
    """How differently hard sentences are for all."""
    own: float = 0.5
    """How differently hard sentences, and words, are for a checkpoint."""
    seed: float = 0.05
    seeds: int = 6
    lost: float = 0.0
    """The share of sentences that one checkpoint has all wrong."""


PROBES = (
    Probe("probes"),
    Probe("probes whose seeds lie apart", seed=0.3),
    Probe("probes of two seeds", seeds=2),
    Probe("probes of one seed", seed=0.0, seeds=1),
    Probe("probes nearly all right", logit=5.0, seed=0.0),
    Probe("probes nearly alike", own=0.05, seed=0.0),
    Probe("a few sentences all wrong", logit=3.0, own=0.1, seed=0.0, lost=0.02),
)


def of_differing_probes(trials: int, seed: int) -> Iterator[str]:
    """Of each truth and number of sentences a row, as `coverage_of_differences.of_differences` has them."""
    yield from HEADER
    for place, probe in enumerate(PROBES):
        for n in SENTENCES:
            draw = np.random.default_rng([seed, place, n])
            yield line(probe.name, "accuracy", n, [_probed(draw, probe, n) for _ in range(max(trials * 30 // n, 20))])


def _probed(draw: np.random.Generator, probe: Probe, n: int) -> tuple[Floats, list[Way]]:
    """Return the differences of one heatmap in accuracy, with both ways to an interval."""
    size = draw.integers(3, 20, n)
    words, begins, of = int(size.sum()), np.concatenate([[0], np.cumsum(size)]), np.repeat(np.arange(n), size)
    easy = probe.logit + probe.sentence * draw.standard_normal(n)[of] + draw.standard_normal(words)
    better = np.where(np.arange(CELLS) < EQUAL, 0.0, 0.4)[:, None, None] * np.array([1.0, 0.0])[:, None]
    both = CELLS, 2
    own = probe.own * (draw.standard_normal((*both, n))[..., of] + draw.standard_normal((*both, words)))
    shared = draw.logistic(size=(CELLS, 1, words)) if probe.own < 0.2 else draw.logistic(size=(*both, words))
    of_seed = probe.seed * draw.standard_normal((*both, probe.seeds, 1))
    right = (easy + own + better + shared)[:, :, None] + of_seed > 0
    right &= ~(draw.random((*both, 1, n)) < probe.lost)[..., of]
    scores = [accuracy(right[:, side].astype(np.int8), np.ones(words, np.int8), begins) for side in (0, 1)]
    first, second = ((score.value, score.low, score.high) for score in scores)
    difference = scores[0].value - scores[1].value
    widest = difference_ends(first, second)
    counts = [(sentence_sums(right[:, side, 0], begins), size) for side in (0, 1)]
    low, high, freedom = of_ratios(difference, *counts, scores[0].seeds - scores[1].seeds)
    wider = high - low > widest[1] - widest[0]
    ends = zip(widest, (low, high), strict=True)
    now = (*(np.where(wider, wide, paired) for wide, paired in ends), np.where(wider, np.inf, freedom))
    return difference, [(*widest, np.inf), now]
