"""Models side by side where the truth is known: do intervals hold it, who is told apart wrongly, and how many rightly.

A part of `python -m benchmarks.coverage`. Each trial draws what a language adds to each model, and, of pairs, what a pair adds.
Other ways stand beside on the same draws: Student's interval and its p, corrected by Holm's and by Benjamini & Hochberg's way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.metrics.ranking.apart import LEVEL, differences, significance
from isogloss.backend.metrics.ranking.contributions import of_languages, of_pairs
from isogloss.backend.metrics.ranking.ranks import ranks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WAYS = ("Student, Holm", "Student, Benjamini–Hochberg", "signs, step down (now)")


@dataclass(frozen=True)
class Truth:
    """What models and languages are drawn from."""

    name: str
    language: str = "normal"
    """How a language's share in a model is spread: of deviation about 1."""
    pair: float | None = None
    """Deviation of what a pair of languages adds in a model; None: a number a language."""
    by_family: bool = False
    """Whether families are drawn, and not languages."""
    shared: float = 1.0
    """What languages add to their pairs is multiplied by this."""
    better: float = 0.0
    """How far the first of two models is above the other, whose difference is one-sided."""


TRUTHS = (
    Truth("normal"),
    Truth("heavy tails (t₂)", "heavy"),
    Truth("skewed (log-normal)", "skewed"),
    Truth("one language ten times as wide", "outlier"),
    Truth("pairs that share languages", pair=1.0),
    Truth("pairs that share languages, heavy tails", "heavy", pair=1.0),
    Truth("pairs that share languages, one ten times as wide", "outlier", pair=1.0),
    Truth("pairs that share little", pair=3.0),
    Truth("pairs that share nothing", pair=1.0, shared=0.0),
    Truth("a model of three five times as wide", "uneven"),
    Truth("shares of 100 questions, 97 right", "ceiling"),
    Truth("a model of three skewed, the others normal", "shapes"),
    Truth("relatives: half of a share is a family's", "families"),
    Truth("pairs of relatives", "families", pair=1.0),
    Truth("relatives, by families", "families", by_family=True),
    Truth("pairs of relatives, by families", "families", pair=1.0, by_family=True),
    Truth("a model gains in a fifth of the languages alone", "in a fifth", better=0.2),
    Truth("a model gains in a fifth of the languages what it loses in all", "in a fifth"),
    Truth("a model gains in all languages, in few much (log-normal)", "in few much", better=np.exp(0.5)),
    Truth("no mean (Cauchy)", "cauchy"),
    Truth("one language a thousand times as wide, the same always", "alone"),
    Truth("values of half a deviation, many equal", "grid"),
    Truth("pairs that share languages without a mean (Cauchy)", "cauchy", pair=1.0),
)
SHAPES = ((3, 6), (3, 12), (3, 36), (12, 6), (12, 36), (50, 36))
"""Models and languages. Three are equal; of more, every three are, and each three lie three standard errors above the last."""
OF_TWO = ((2, 6), (2, 8), (2, 12), (2, 36), (2, 128))
"""Those of one-sided differences."""


def _shares(draw: np.random.Generator, kind: str, shape: tuple[int, int]) -> Floats:
    match kind:
        case "heavy":
            return draw.standard_t(2, shape)
        case "cauchy":
            return draw.standard_cauchy(shape)
        case "alone":
            return draw.standard_normal(shape) * np.where(np.arange(shape[-1]) == 0, 1000.0, 1.0)
        case "grid":
            return np.round(2 * draw.standard_normal(shape)) / 2
        case "skewed":
            return (draw.lognormal(0, 1, shape) - np.exp(0.5)) / 2.16
        case "outlier":
            wide = np.where(np.arange(shape[-1]) == draw.integers(shape[-1]), 10.0, 1.0)
            return draw.standard_normal(shape) * wide
        case "uneven":
            return draw.standard_normal(shape) * np.where(np.arange(shape[0]) % 3 == 0, 5.0, 1.0)[:, None]
        case "ceiling":
            return (draw.binomial(100, 0.97, shape) - 97) / np.sqrt(100 * 0.97 * 0.03)
        case "shapes":
            return np.where(
                (np.arange(shape[0]) % 3 == 0)[:, None], _shares(draw, "skewed", shape), draw.standard_normal(shape)
            )
        case "in a fifth" | "in few much":
            fifth = draw.exponential(size=shape[1]) * (draw.random(shape[1]) < 0.2) - 0.2
            gains = fifth if kind == "in a fifth" else draw.lognormal(0, 1, shape[1]) - np.exp(0.5)
            return 0.05 * draw.standard_normal(shape) + np.where(np.arange(shape[0]) == 0, 1.0, 0.0)[:, None] * gains
        case "families":
            family = _families(shape[1])
            return np.sqrt(0.5) * (draw.standard_normal((shape[0], family.max() + 1))[:, family] + draw.standard_normal(shape))
    return draw.standard_normal(shape)


def _families(languages: int) -> NDArray[np.intp]:
    """Return a family for each language: half of them are of one, the others of families of three."""
    return np.maximum(np.arange(languages) - languages // 2 + 3, 0) // 3


def _drawn(draw: np.random.Generator, truth: Truth, level: Floats, languages: int) -> Floats:
    """Models [models, languages] or [models, languages, languages]; what all models share is far more than what they do not."""
    shares = truth.shared * _shares(draw, truth.language, (len(level), languages)) + 3 * draw.standard_normal(languages)
    if truth.pair is None:
        return level[:, None] + shares
    own = np.triu(truth.pair * draw.standard_normal((len(level), languages, languages)), 1)
    return level[:, None, None] + shares[:, :, None] + shares[:, None, :] + own + np.swapaxes(own, 1, 2)


def _holm(p: Floats) -> Floats:
    order, m = np.argsort(p), len(p)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(np.maximum.accumulate((m - np.arange(m)) * p[order]), 1)
    return adjusted


def _levels(truth: Truth, models: int, languages: int) -> Floats:
    if models <= 3:
        return np.where(np.arange(models) == 0, truth.better, 0.0)
    error = (
        np.sqrt(2 / languages)
        if truth.pair is None
        else np.sqrt(2 * (4 * truth.shared**2 + 2 * truth.pair**2 / languages) / languages)
    )
    return np.repeat(3 * error * np.arange(models // 3 + 1), 3)[:models]


def of_models(trials: int, seed: int) -> Iterator[str]:
    """Of each truth and shape a row: intervals, then false discoveries, any wrong, and power of three ways."""
    ways = " | ".join(f"{way}: wrong of those told, any wrong, told of those that differ" for way in WAYS)
    yield f"| | models | languages | Student: held, width | Hartigan (now): held, width | ranks held | {ways} |"
    yield f"|{'---|' * (6 + len(WAYS))}"
    for place, truth in enumerate(TRUTHS):
        for models, languages in OF_TWO if truth.language in ("in a fifth", "in few much") else SHAPES:
            draw = np.random.default_rng([seed, place, models, languages])
            level = _levels(truth, models, languages)
            several = [
                _trial(draw, truth, level, languages) for _ in range(max(trials // (1 if models <= 3 else models // 4), 20))
            ]
            yield _line(truth, models, languages, several)


def _trial(draw: np.random.Generator, truth: Truth, level: Floats, languages: int) -> dict[str, Floats]:
    values = _drawn(draw, truth, level, languages)
    of = of_languages(values) if truth.pair is None else of_pairs(values)
    of = replace(of, groups=_families(languages)) if truth.by_family else of
    one, other = np.triu_indices(len(level), 1)
    true = level[one] - level[other]
    each = of.each[one] - of.each[other]
    value, error = each.mean(axis=1), each.std(axis=1, ddof=1) / np.sqrt(languages)
    half = stats.t.ppf(0.975, languages - 1) * error
    found = differences(of)
    low, high = found.low[one, other], found.high[one, other]
    with np.errstate(invalid="ignore"):  # of two models that are equal everywhere
        plain = 2 * stats.t.sf(np.abs(value) / error, languages - 1)
    corrected = significance(of).corrected
    told = {
        name: p <= LEVEL for name, p in zip(WAYS, (_holm(plain), benjamini_hochberg(plain), corrected[one, other]), strict=True)
    }
    ranked = ranks(of.value, corrected)
    better, equal = (level[None] > level[:, None]).sum(axis=1), (level[None] == level[:, None]).sum(axis=1)
    numbers = {
        "student": (np.abs(value - true) <= half).mean(),
        "student width": np.median(2 * half),
        "now": ((low <= true) & (true <= high)).mean(),
        "now width": np.median(high - low),
        "ranks": ((ranked.low <= 1 + better) & (ranked.high >= better + equal)).all(),
    }
    for name, own in told.items():
        wrong = own & ((true == 0) | (np.sign(value) != np.sign(true)))
        numbers |= {f"{name} false": wrong.sum() / max(own.sum(), 1), f"{name} any": wrong.any()}
        numbers[f"{name} told"] = (own & ~wrong).sum() / (true != 0).sum() if (true != 0).any() else np.nan
    return {name: np.float64(number) for name, number in numbers.items()}


def _line(truth: Truth, models: int, languages: int, several: list[dict[str, Floats]]) -> str:
    mean = {name: float(np.mean([each[name] for each in several])) for name in several[0]}
    cells = [f"{mean[name]:.3f}, {mean[f'{name} width']:.2f}" for name in ("student", "now")] + [f"{mean['ranks']:.3f}"]
    for way in WAYS:
        told = "–" if np.isnan(mean[f"{way} told"]) else f"{mean[f'{way} told']:.2f}"
        cells.append(f"{mean[f'{way} false']:.3f}, {mean[f'{way} any']:.3f}, {told}")
    return f"| {truth.name} | {models} | {languages} | {' | '.join(cells)} |"
