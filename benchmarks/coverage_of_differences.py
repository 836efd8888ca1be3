"""Heatmaps of differences between two models on the same sentences: intervals, and who is told apart after correction.

A part of `python -m benchmarks.coverage`. A heatmap has twelve cells in which the models are equal, or six of them and six in
which they differ; cells share their sentences. Before: ± 1.96 standard errors and the normal p; now: Student's (ABX). Of
accuracies: Wald's interval, and Agresti & Min's. Of retrieval (and ABX where what sentences contribute is not kept): as if
errors were independent, and the widest that there can be. Of alignment, a mean over pairs of languages: the widest, and paired.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.metrics.abx.exact import with_sums
from isogloss.backend.metrics.intervals import Z95, difference_ends, wilson_interval
from isogloss.backend.metrics.jackknife import difference_interval, leave_one_out, standard_error
from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.backend.metrics.retrieval.paired import difference_of_found
from isogloss.backend.metrics.transfer.paired import difference_of_accuracies, squares_at_most

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Way = tuple[Floats, Floats, Floats | float]
    """Low, high and degrees of freedom of each cell."""

EQUAL, CELLS, LEVEL, DIMS = 12, 18, 0.05, 24
"""In the first cells models are equal, in the last six they differ."""
SENTENCES, EXAMPLES = (10, 30, 100), (20, 100, 500)


@dataclass(frozen=True)
class Text:
    """What sentences, their translations and both models' vectors of them are drawn from."""

    name: str
    noise: float
    """What a translation adds to the meaning, which has deviation 1."""
    hard: float = 0.0
    """How differently hard sentences are for both models: deviation of the noise's logarithm."""
    heavy: bool = False
    """The noise is t₂."""
    lost: float = 0.0
    """The share of sentences that translate another one, for both models."""
    ties: bool = False
    """Vectors are signs alone, whose cosines are few."""
    scores: tuple[str, ...] = ("meaning", "language")


TEXTS = (
    Text("translations hardly near", 4.0),
    Text("translations near", 1.1, scores=("meaning", "language", "retrieval")),
    Text("sentences hard for both", 0.9, hard=0.7, scores=("meaning", "language", "retrieval")),
    Text("heavy tails", 1.0, heavy=True),
    Text("ties", 0.9, ties=True, scores=("meaning", "language", "retrieval")),
    Text("2% translate others", 0.2, lost=0.02),
    Text("a few hard sentences", 0.22, hard=0.7),
)
TOLD = "any told of equal models; wrong of those told, told of those that differ"
HEADER = (
    f"| | score | sentences | before: held, width | now: held, width | before: {TOLD} | now: the same | error |",
    f"|{'---|' * 8}",
)
ASKED, PAIRS = (30, 100, 1000), (1, 9, 100)
"""Sentences that are looked for, and directed pairs of languages that a cell is the mean over."""
FOUND = {
    "half are found": (0.0, 1.0, 1.0, 0.5),
    "sentences hard for both": (1.5, 2.0, 1.0, 0.5),
    "nearly the same errors": (1.0, 3.0, 2.0, 0.02),
    "nearly all are found": (5.0, 1.0, 1.0, 0.3),
    "a few hard sentences": (9.0, 3.5, 0.2, 0.2),
    "half are found, with gaps": (0.0, 1.0, 1.0, 0.5, 0.4),
}
"""The mean of the logit of being found, and its deviations over sentences, over these in each pair of languages, and over each
model's own sentences; then the share of sentences that every second pair lacks."""
HARD = {"questions alike": (1.0, 0.0), "questions hard for both": (1.5, 2.0), "nearly all right": (4.0, 1.0)}
"""The mean and the deviation of the logit of a right answer over questions."""


def of_differences(trials: int, seed: int) -> Iterator[str]:
    """Of each truth and number of sentences a row: intervals, then false discoveries and power of both ways."""
    yield from HEADER
    for place, text in enumerate(TEXTS):
        for n in SENTENCES:
            draw = np.random.default_rng([seed, place, n])
            several = [_discriminated(draw, text, n) for _ in range(max(trials * 15 // max(n, 30), 20))]
            for score in text.scores:
                yield line(text.name, score, n, [each[score] for each in several])
    for place, (name, logits) in enumerate(FOUND.items()):
        for n in ASKED:
            for pairs in PAIRS:
                draw = np.random.default_rng([seed, 50 + place, n, pairs])
                several = [_found(draw, logits, n, pairs) for _ in range(max(min(trials, trials * 3000 // (n * pairs)), 40))]
                yield line(f"{name}, {pairs} pair{'s' * (pairs > 1)}", "alignment", n, several)
    for place, (name, (logit, spread)) in enumerate(HARD.items()):
        for n in EXAMPLES:
            draw = np.random.default_rng([seed, len(TEXTS) + place, n])
            yield line(name, "accuracy", n, [_answered(draw, logit, spread, n) for _ in range(trials)])


def _discriminated(draw: np.random.Generator, text: Text, n: int) -> dict[str, tuple[Floats, list[Way]]]:
    """Return the differences of one heatmap in both ABX scores, with both ways to an interval."""
    vectors = translations(draw, text, n)
    pairs = [(2 * model, 2 * model + 1) for model in range(2 * CELLS)]
    scores, sums = with_sums(torch.from_numpy(vectors.reshape(4 * CELLS, n, DIMS).astype(np.float32)), pairs=pairs)
    at = tuple(np.transpose(pairs))
    assert scores.retrieval is not None
    share = scores.retrieval.numpy()[at].reshape(CELLS, 2).T
    second, first = (np.array([each, *wilson_interval(each, n)]) for each in share)
    ends = [(*difference_ends(tuple(first), tuple(second), apart=apart), np.inf) for apart in (True, False)]
    found: dict[str, tuple[Floats, list[Way]]] = {"retrieval": (first[0] - second[0], ends)}
    for name in ("meaning", "language"):
        value = getattr(scores, name).numpy()[at].reshape(CELLS, 2)
        without = leave_one_out(getattr(sums, name).numpy().reshape(CELLS, 2, n), directions=2)
        difference, half = value[:, 1] - value[:, 0], Z95 * standard_error(without[:, 1] - without[:, 0])
        now = difference_interval(difference, without[:, 1], without[:, 0])
        found[name] = difference, [(difference - half, difference + half, np.inf), (*now, n - 1.0)]
    return found


def translations(draw: np.random.Generator, text: Text, n: int) -> Floats:
    """Return the vectors of both models in the two languages of each cell: `[CELLS, 2 models, 2 languages, n, DIMS]`."""
    less = np.where(np.arange(2 * CELLS) < 2 * EQUAL, 1.0, np.tile([1.0, 0.8], CELLS)).reshape(CELLS, 2, 1, 1, 1)
    hard = np.exp(text.hard * draw.standard_normal((n, 1)))
    shape = CELLS, 2, 2, n, DIMS  # cells, models, languages
    noise = draw.standard_t(2, shape) if text.heavy else draw.standard_normal(shape)
    both = draw.standard_normal((CELLS, 2, 1, n, DIMS)) + text.noise * less * hard * noise
    other = draw.random((n, 1)) < text.lost
    both[:, :, 1] = np.where(other, draw.standard_normal((CELLS, 2, n, DIMS)), both[:, :, 1])
    both += 0.3 * np.random.default_rng(5).standard_normal((2, 1, DIMS))
    return np.sign(both) if text.ties else both


def _found(draw: np.random.Generator, logits: Sequence[float], n: int, pairs: int) -> tuple[Floats, list[Way]]:
    """Return the differences of one heatmap in the mean over pairs of languages of the share of n sentences that is found."""
    mean, hard, of_pair, own, *gaps = logits
    easy = mean + hard * draw.standard_normal((n, 1)) + of_pair * draw.standard_normal((CELLS, n, pairs))
    better = np.where(np.arange(CELLS) < EQUAL, 0.0, 0.7)[:, None, None]
    asked = draw.random((n, pairs)) >= np.where(np.arange(pairs) % 2, 0.0, sum(gaps))
    amount = asked.sum(axis=0)
    value, parts, sides = [], [], []
    for more in (better, 0 * better):
        hits = draw.random((CELLS, n, pairs)) < 1 / (1 + np.exp(-easy - more - own * draw.standard_normal((CELLS, n, 1))))
        share = (hits & asked).sum(axis=1) / amount
        value.append(share.mean(axis=1))
        parts.append(((hits - share[:, None]) * asked / amount).mean(axis=2))
        sides.append((value[-1], *np.mean(wilson_interval(share, amount), axis=2)))
    difference = value[0] - value[1]
    now = difference_of_found(difference, (value[0], value[1]), (parts[0], parts[1]), n)
    return difference, [(*difference_ends(sides[0], sides[1]), np.inf), (*now, n - 1.0)]


def _answered(draw: np.random.Generator, logit: float, spread: float, n: int) -> tuple[Floats, list[Way]]:
    """Return the differences of one heatmap in accuracy over n questions, a cell a language that they are asked in."""
    easy = logit + spread * draw.standard_normal(n)
    better = np.where(np.arange(CELLS) < EQUAL, 0.0, 0.7)[:, None]
    right = [(draw.random((CELLS, n)) < 1 / (1 + np.exp(-easy - more))).astype(int) for more in (better, 0 * better)]
    each = right[0] - right[1]
    difference, half = each.mean(axis=1), Z95 * each.std(axis=1) / np.sqrt(n)
    squares = [squares_at_most(*both) for both in zip(*right, strict=True)]
    low, high = np.transpose([difference_of_accuracies(*both) for both in zip(difference.tolist(), squares, strict=True)])
    return difference, [(difference - half, difference + half, np.inf), (low, high, np.inf)]


def line(name: str, score: str, n: int, several: list[tuple[Floats, list[Way]]]) -> str:
    """Return a row of the table: of several heatmaps the differences of all cells with both ways to their intervals."""
    differences = np.stack([difference for difference, _ in several])
    truth = np.where(np.arange(CELLS) < EQUAL, 0.0, differences[:, EQUAL:].mean())
    intervals, told = [], []
    for way in (0, 1):
        low, high = (np.stack([ways[way][end] for _, ways in several]) for end in (0, 1))
        held = (low <= truth + 1e-12) & (truth <= high + 1e-12)
        intervals.append(f"{held.mean():.3f}, {(high - low).mean():.4f}")
        found = [_told(difference, ways[way], truth) for difference, ways in several]
        told.append("{:.3f}; {:.3f}, {:.2f}".format(*np.mean(found, axis=0)))
    error = (LEVEL * (1 - LEVEL) / len(several)) ** 0.5
    return f"| {name} | {score} | {n} | {' | '.join([*intervals, *told])} | {error:.3f} |"


def _told(difference: Floats, way: Way, truth: Floats) -> tuple[float, float, float]:
    """Return whether any of the equal cells is told; of six equal ones and the others, the share wrong, and of those told."""
    p = p_of_intervals(difference, *way)
    some = np.arange(CELLS) >= EQUAL // 2
    told = benjamini_hochberg(p[some]) < LEVEL
    right = told & (truth[some] != 0) & (difference[some] * truth[some] > 0)
    wrong = (told & ~right).sum() / max(told.sum(), 1)
    return float((benjamini_hochberg(p[:EQUAL]) < LEVEL).any()), float(wrong), float(right.sum() / (CELLS - EQUAL))
