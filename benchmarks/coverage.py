"""How often 95% intervals hold the truth, and how wide they are: the plain ones of before beside those of today, in one run.

    python -m benchmarks.coverage [--trials 1000] [--seed 0]
        [--only abx|xferbench|probes|groups|told-groups|differences|probe-differences|geometry-differences
            |shared-sentences|models|seeds]

Truths are known because the data are drawn: vectors of translations whose discrimination is asked of 80 times 1,500 sentences,
cross-entropies of which the parts are given, probes of which the seeds' spread is. Each line has both sides on the same draws;
the error of a share of trials is said (one standard error).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from scipy.special import stdtrit
from scipy.stats import ttest_1samp

from benchmarks.coverage_of_differences import of_differences
from benchmarks.coverage_of_geometry import of_geometry
from benchmarks.coverage_of_models import of_models
from benchmarks.coverage_of_probes import of_differing_probes
from benchmarks.coverage_of_seeds import of_seeds
from benchmarks.coverage_of_shared import of_shared
from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.intervals import Z95, jackknife_interval, mean_of_runs, wilson_interval
from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.metrics.pair_groups import mean_of_group
from isogloss.backend.metrics.probing.scores import ratio
from isogloss.backend.metrics.xferbench import Method, confidence_intervals, contrast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DIMS, SENTENCES = 24, (30, 50, 100, 300, 1000)


@dataclass(frozen=True)
class Text:
    """What sentences and their translations are drawn from."""

    name: str
    noise: float
    """What a translation adds to the meaning, which has deviation 1."""
    language: float
    """How far apart the two languages lie."""
    clusters: bool = False
    """Meanings come in 40 kinds."""
    hard: bool = False
    """The noise of a sentence is drawn as well, from a tenth to ten times as much."""
    sink: bool = False
    """One component is several times as large as all others, and drawn."""
    lost: float = 0.0
    """The share of sentences that translate another one."""
    scores: tuple[str, ...] = ("meaning",)


TEXTS = (
    Text("translations hardly near", 4.0, 0.5, scores=("meaning", "language")),
    Text("harder and easier sentences", 0.9, 0.3, hard=True, scores=("meaning", "language")),
    Text("translations near", 1.1, 0.3),
    Text("a large component", 0.5, 0.3, hard=True, sink=True),
    Text("2% translate others", 0.2, 0.3, lost=0.02),
    Text("0.6% translate others", 0.2, 0.3, lost=0.006),
    Text("translations very near", 0.65, 0.3),
    Text("a few hard sentences", 0.22, 0.1, hard=True),
    Text("a large component, near", 0.15, 0.1, hard=True, sink=True),
    Text("kinds of meaning", 0.38, 0.2, clusters=True),
    Text("languages far apart, hard", 0.5, 2.0, hard=True, scores=("language",)),
    Text("languages far apart", 0.5, 1.3, scores=("language",)),
)


def vectors(draw: np.random.Generator, text: Text, trials: int, n: int) -> torch.Tensor:
    """Two languages a trial: `[2 · trials, n, dims]`."""
    fixed = np.random.default_rng(5)  # kinds and languages are the same in every trial
    meaning = draw.standard_normal((trials, 1, n, DIMS))
    if text.clusters:
        meaning = fixed.standard_normal((40, DIMS))[draw.integers(40, size=(trials, 1, n))] + 0.5 * meaning
    hard = np.exp(0.7 * draw.standard_normal((trials, 1, n, 1))) if text.hard else 1.0
    both = meaning + text.noise * hard * draw.standard_normal((trials, 2, n, DIMS))
    if text.lost:
        other = draw.standard_normal((trials, n, DIMS))
        both[:, 1] = np.where(draw.random((trials, n, 1)) < text.lost, other, both[:, 1])
    both += text.language * fixed.standard_normal((1, 2, 1, DIMS))
    if text.sink:
        both[..., 0] += 6 * np.exp(0.5 * draw.standard_normal((trials, 1, n)))
    return torch.from_numpy(both.reshape(2 * trials, n, DIMS).astype(np.float32))


def scored(draw: np.random.Generator, text: Text, trials: int, n: int) -> dict[str, Floats]:
    """Of each trial: meaning, language and retrieval, and the standard errors of the first two."""
    found: dict[str, list[Floats]] = {}
    for begin in range(0, trials, most := max(1, 200_000 // n**2)):
        some = min(most, trials - begin)
        each = discrimination(vectors(draw, text, some, n), pairs=[(2 * i, 2 * i + 1) for i in range(some)])
        first = torch.arange(0, 2 * some, 2)
        for name in ("meaning", "meaning_se", "language", "language_se", "retrieval"):
            found.setdefault(name, []).append(getattr(each, name)[first, first + 1].numpy())
    return {name: np.concatenate(parts) for name, parts in found.items()}


def line(what: str, n: int, truth: str, sides: list[tuple[Floats, Floats, Floats]], trials: int) -> str:
    """A row of a table: `sides` are low, high and truth of every trial, before and after."""
    cells = []
    for low, high, true in sides:
        held = float(((low <= true + 1e-12) & (true <= high + 1e-12)).mean())
        cells.append(f"{held:.3f}, {float((high - low).mean()):.4f}")
    error = (0.95 * 0.05 / trials) ** 0.5
    return f"| {what} | {truth} | {n:,} | {' | '.join(cells)} | {error:.3f} |"


def head(before: str, after: str, what: str = "sentences") -> str:
    """The head of a table."""
    return f"| | truth | {what} | {before}: held, width | {after}: held, width | error |\n|---|---|---|---|---|---|"


def of_abx(trials: int, seed: int) -> Iterator[str]:
    """LD, MD and retrieval."""
    yield head("± 1.96 SE", "now")
    for place, text in enumerate(TEXTS):
        draw = np.random.default_rng([seed, place])
        truths = {name: float(values.mean()) for name, values in scored(draw, text, 80, 1500).items()}
        for n in SENTENCES:
            some = max(trials * 30 // max(n, 30) // (3 if n > 300 else 1), 20)
            found = scored(draw, text, some, n)
            for name in text.scores:
                value, error, truth = found[name], found[f"{name}_se"], np.full(some, truths[name])
                plain = np.clip(value - Z95 * error, 0, 1), np.clip(value + Z95 * error, 0, 1), truth
                now = (*jackknife_interval(value, error, n), truth)
                yield line(f"{name}, {text.name}", n, f"{truths[name]:.5f}", [plain, now], some)
        found = scored(draw, text, trials, 30)["retrieval"]
        truth = np.full(trials, found.mean())  # of so many sentences: with more it is another
        half = Z95 * np.sqrt(found * (1 - found) / 30)
        sides = [(np.clip(found - half, 0, 1), np.clip(found + half, 0, 1), truth), (*wilson_interval(found, 30), truth)]
        yield line(f"retrieval, {text.name}", 30, f"{truth[0]:.3f}", sides, trials)


def of_xferbench(trials: int, seed: int) -> Iterator[str]:
    """A score less the mean of eight sources, and the difference of two."""
    yield head("the paper's (BCa)", "now (Student)", "targets")
    sources, methods = 8, ("bca", "student")
    level = 0.08 * np.random.default_rng(seed).standard_normal(sources)
    for kind in ("normal", "skewed"):
        for targets in (5, 10, 20):
            draw = np.random.default_rng([seed, targets, kind == "skewed"])
            ends: dict[tuple[str, str], list[tuple[Floats, Floats, Floats]]] = {}
            for _ in range(max(trials // 8, 20)):
                shape = sources, targets
                noise = draw.standard_normal(shape) if kind == "normal" else draw.exponential(size=shape) - 1
                frame = pd.DataFrame(5 + level[:, None] + 1.5 * draw.standard_normal(targets) + 0.05 * noise)
                for method in methods:
                    found = confidence_intervals(frame, resamples=999, method=method).to_numpy()  # type: ignore[arg-type]
                    mean = found[:, 0].mean()
                    ends.setdefault(("score less the mean", method), []).append(
                        (found[:, 1] - mean, found[:, 2] - mean, level - level.mean())
                    )
                    pairs = [_pair(frame, i, method) for i in range(0, sources, 2)]  # type: ignore[arg-type]
                    low, high = np.array(pairs).T
                    ends.setdefault(("difference of two", method), []).append((low, high, level[::2] - level[1::2]))
            for what in ("score less the mean", "difference of two"):
                sides = [tuple(np.concatenate(each) for each in zip(*ends[what, method], strict=True)) for method in methods]
                count = len(sides[0][0])
                yield line(f"{what}, {kind}", targets, "0.08 apart", sides, count)  # type: ignore[arg-type]


def _pair(frame: pd.DataFrame, first: int, method: Method) -> tuple[float, float]:
    found = contrast(frame, {first: 1, first + 1: -1}, resamples=999, method=method)  # type: ignore[dict-item]
    return found.low, found.high


def of_probes(trials: int, seed: int) -> Iterator[str]:
    """Accuracy of ten words a sentence, of which some are easy; seeds differ as is said."""
    yield head("mean ± t · SE over seeds", "now")
    for seeds, apart, n in ((1, 0.0, 50), (1, 0.4, 50), (3, 0.4, 50), (6, 0.4, 50), (6, 0.0, 300), (6, 0.4, 300)):
        draw = np.random.default_rng([seed, seeds, n])
        logits = 3.2 + draw.standard_normal((trials, 1, n, 1)) + apart * draw.standard_normal((trials, seeds, 1, 1))
        every = np.random.default_rng(1).standard_normal((2, 1_000_000))
        truth = float((1 / (1 + np.exp(-(3.2 + every[0] + apart * every[1])))).mean())
        right = (draw.random((trials, seeds, n, 10)) < 1 / (1 + np.exp(-logits))).sum(-1)
        found = ratio(right, np.full(n, 10))
        each = found.seeds
        half = stdtrit(seeds - 1, 0.975) * each.std(-1, ddof=1) / seeds**0.5 if seeds > 1 else np.zeros(trials)
        true = np.full(trials, truth)
        sides = [(each.mean(-1) - half, each.mean(-1) + half, true), (found.low, found.high, true)]
        yield line(f"accuracy, {seeds} of seeds that differ by {apart:g}", n, f"{truth:.3f}", sides, trials)


ADDED: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda draw, n: draw.standard_normal(n),
    "heavy tails (t₃)": lambda draw, n: draw.standard_t(3, n),
    "skewed (exponential)": lambda draw, n: draw.exponential(size=n) - 1,
    "nothing": lambda _, n: np.zeros(n),
}
"""What a language adds to each of its pairs, of expectation 0."""
LANGUAGES = (
    ("normal", 0.5, 0.0),
    ("normal", 3.0, 0.0),
    ("normal", 0.5, 3.0),
    ("heavy tails (t₃)", 0.5, 0.0),
    ("skewed (exponential)", 0.5, 0.0),
    ("nothing", 3.0, 0.0),
)
"""What is added, how much a pair has of its own (deviation), and how far groups lie apart."""
GROUPS = ((12, 3), (36, 3), (36, 12), (204, 12), (204, 77))
"""How many languages there are, and how many of them are in the group."""
SIZES = ((36,), (12, 9, 6, 6, 3), (18, *[2] * 9))
"""Languages of each group of a heatmap."""


def of_groups(trials: int, seed: int) -> Iterator[str]:
    """The mean of a group of languages, each the mean over its pairs with all others."""
    yield head("Student", "partners counted (now)", "in the group")
    for place, (name, own, apart) in enumerate(LANGUAGES):
        for n, size in GROUPS:
            draw = np.random.default_rng([seed, place, n, size])
            level = np.where(np.arange(n) < 2 * size, apart, 0.0)  # the group's, and as many others'
            level[:size] = -apart / 2
            values = np.stack([_over_pairs(draw, level + ADDED[name](draw, n), own) for _ in range(trials)], axis=1)
            of_runs, of_pairs = mean_of_runs(values[:size].T), mean_of_group(values, range(size))
            truth = np.full(trials, _over_pairs(draw, level, 0.0)[:size].mean())
            sides = [(of_runs.low, of_runs.high, truth), (of_pairs.low, of_pairs.high, truth)]
            what = f"{name}, pairs {own:g}{f', groups {apart:g} apart' if apart else ''}, {n} languages"
            yield line(what, size, f"{truth[0]:.2f}", sides, trials)


def of_told_groups(trials: int, seed: int) -> Iterator[str]:
    """Heatmaps of differences of groups, twelve columns, in which nothing differs: is any cell told after correction?"""
    yield "| | groups of | any told: Student | partners counted (now) | error |\n|---|---|---|---|---|"
    for place, (name, added) in enumerate(ADDED.items()):
        for sizes in SIZES if name != "nothing" else ():
            draw, ends = np.random.default_rng([seed, place, *sizes]), np.cumsum((0, *sizes))
            told = []
            for _ in range(trials // 4):
                values = np.stack([_over_pairs(draw, added(draw, int(ends[-1])), 0.5) for _ in range(12)], axis=1)
                groups = [range(first, last) for first, last in pairwise(ends.tolist())]
                plain = [ttest_1samp(values[each], 0).pvalue for each in groups]
                p = np.array([plain, [mean_of_group(values, each).p for each in groups]])
                told.append([(benjamini_hochberg(each) < 0.05).any() for each in p])
            shares = *np.mean(told, axis=0), (0.95 * 0.05 / len(told)) ** 0.5
            yield f"| {name} | {', '.join(map(str, sizes))} | {' | '.join(f'{share:.3f}' for share in shares)} |"


def _over_pairs(draw: np.random.Generator, added: Floats, own: float) -> Floats:
    """Return the mean of each language over its pairs, which have both languages' parts and one of their own."""
    pairs = np.triu(own * draw.standard_normal((len(added), len(added))), 1)
    return added + (added.sum() - added + (pairs + pairs.T).sum(axis=1)) / (len(added) - 1)


SECTIONS = {
    "abx": of_abx,
    "xferbench": of_xferbench,
    "probes": of_probes,
    "groups": of_groups,
    "told-groups": of_told_groups,
    "differences": of_differences,
    "probe-differences": of_differing_probes,
    "geometry-differences": of_geometry,
    "shared-sentences": of_shared,
    "models": of_models,
    "seeds": of_seeds,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000, help="with 30 sentences; fewer with more")
    parser.add_argument("--only", choices=[*SECTIONS])
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for name, section in SECTIONS.items():
        if asked.only in (None, name):
            print(f"\n{name}\n")
            for row in section(asked.trials, asked.seed):
                print(row, flush=True)


if __name__ == "__main__":
    main()
