"""ABX by sampled triplets, as published, and the controls that must come out at chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from torch import Tensor

from isogloss.backend.device_memory import in_halves
from isogloss.backend.metrics.abx.counting import unit_vectors_by_language
from isogloss.backend.metrics.abx.exact import Discrimination, check_shape, chosen_pairs, discrimination
from isogloss.backend.metrics.abx.held import Held
from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.cosines import tie_tolerance

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.metrics.abx.exact import Pairs
    from isogloss.backend.metrics.blocks import ShouldStop

T = TypeVar("T")

TRIPLETS_AT_ONCE = {"cpu": 4096}
"""By type of device: few enough that the three gathered vectors of each stay in a CPU's cache. Elsewhere 50,000."""


@torch.no_grad()
def sampled(
    embeddings: Tensor,
    n_triplets: int = 100_000,
    seed: int = 0,
    *,
    pairs: Pairs = None,
    should_stop: ShouldStop = None,
) -> Discrimination:
    """Estimate ABX scores from `n_triplets` sampled triplets for each of the `pairs` and each task, half in each direction.

    Of every pair by default. Sentences p ≠ q are drawn uniformly, with replacement, from `seed` and the languages' positions.
    The standard errors are the sample's (binomial, but for ties), and leave out the uncertainty over sentences. Retrieval is
    None.

    Raises ValueError as `discrimination` does, and for fewer than two triplets; `Stopped` when asked to stop.
    Source: de Seyssel et al. 2025.
    """
    check_shape(embeddings)
    if n_triplets < 2:
        raise ValueError(f"Sampling needs at least one triplet in each direction, not {n_triplets} in all.")
    languages, n, _ = embeddings.shape
    means = torch.full((2, languages, languages), torch.nan, dtype=torch.float64)
    variances = means.clone()  # of the directed means
    units = unit_vectors_by_language(embeddings)
    wanted = set(zip(*(side.tolist() for side in chosen_pairs(pairs, languages)), strict=True))
    for i in range(languages) if n > 1 else ():
        if should_stop is not None and should_stop():
            raise Stopped
        for j in range(languages):
            if (min(i, j), max(i, j)) in wanted:
                count = (n_triplets + (i < j)) // 2
                p, q = _draw(n, count, seed, i, j)
                for task, outcomes in enumerate(_outcomes(units[i], units[j], p, q)):
                    means[task, i, j] = outcomes.mean()
                    variances[task, i, j] = outcomes.var(correction=0) / count
    both = (means + means.mT) / 2
    both_se = (variances + variances.mT).sqrt() / 2
    return Discrimination(
        language=both[0],
        meaning=both[1],
        language_se=both_se[0],
        meaning_se=both_se[1],
        language_directed=means[0],
        meaning_directed=means[1],
        language_directed_se=variances[0].sqrt(),
        meaning_directed_se=variances[1].sqrt(),
        retrieval=None,
        retrieval_directed=None,
        mutual=None,
        sentences=n,
    )


@dataclass(frozen=True)
class Spread:
    """Standard deviations of scores over random subsamples of triplets: float64 `[languages, languages]`, n - 1 below."""

    language: Tensor
    meaning: Tensor


def subsampled(
    embeddings: Tensor,
    n_triplets: int = 100_000,
    seed: int = 0,
    subsamples: int = 5,
    *,
    pairs: Pairs = None,
    should_stop: ShouldStop = None,
) -> tuple[Discrimination, Spread]:
    """Return the mean of `sampled` over `subsamples` draws, by `seed` and the numbers after it, and their spread.

    The standard errors are those of the mean. Raises ValueError as `sampled` does, and for fewer than two subsamples.
    Source: de Seyssel et al. 2025, appendix B, which leaves open what the standard deviation is divided by.
    """
    if subsamples < 2:
        raise ValueError(f"A spread needs at least two subsamples, not {subsamples}.")
    seeds = range(seed, seed + subsamples)
    draws = [sampled(embeddings, n_triplets, each, pairs=pairs, should_stop=should_stop) for each in seeds]
    language, meaning = (torch.stack([getattr(one, task) for one in draws]) for task in ("language", "meaning"))

    def mean(name: str) -> Tensor:
        return torch.stack([getattr(one, name) for one in draws]).mean(0)

    def error(name: str) -> Tensor:
        return torch.stack([getattr(one, f"{name}_se") for one in draws]).square().sum(0).sqrt() / subsamples

    means = replace(
        draws[0],
        language=language.mean(0),
        meaning=meaning.mean(0),
        language_directed=mean("language_directed"),
        meaning_directed=mean("meaning_directed"),
        language_se=error("language"),
        meaning_se=error("meaning"),
        language_directed_se=error("language_directed"),
        meaning_directed_se=error("meaning_directed"),
    )
    return means, Spread(language.std(0), meaning.std(0))


@torch.no_grad()
def sampled_control(
    embeddings: Tensor,
    n_triplets: int = 100_000,
    seed: int = 0,
    subsamples: int = 1,
    *,
    layer: int = 0,
    pairs: Pairs = None,
    should_stop: ShouldStop = None,
) -> Held:
    """Estimate the paper's control from sampled triplets of each of the `pairs`: what `held` counts over all of them.

    Language: half of `n_triplets` in each of the two languages, three different sentences of it drawn in order. Meaning: a
    sentence, a third language and a coin that says which language of the pair is A's. Drawn uniformly, with replacement, from
    the languages' positions, `layer` and `seed`; the mean over `subsamples` draws, by `seed` and the numbers after it.

    Raises ValueError as `sampled` does; `Stopped` when asked to stop.
    """
    check_shape(embeddings)
    if n_triplets < 2:
        raise ValueError(f"Sampling needs at least one triplet in each language, not {n_triplets} in all.")
    languages, n, _ = embeddings.shape
    language, meaning = torch.full((2, languages, languages), torch.nan, dtype=torch.float64)
    units = unit_vectors_by_language(embeddings)
    for i, j in zip(*(side.tolist() for side in chosen_pairs(pairs, languages)), strict=True):
        if should_stop is not None and should_stop():
            raise Stopped
        generators = [np.random.default_rng([each, i, j, layer, 1]) for each in range(seed, seed + subsamples)]
        if n > 2:
            halves = ((i, n_triplets // 2), (j, n_triplets - n_triplets // 2))
            shares = [_share(units, *_one_language(n, *half, draw)) for draw in generators for half in halves]
            language[i, j] = language[j, i] = sum(shares) / len(shares)
        if languages > 2:
            shares = [_share(units, *_one_meaning(languages, n, (i, j), n_triplets, draw)) for draw in generators]
            meaning[i, j] = meaning[j, i] = sum(shares) / len(shares)
    return Held(language, meaning)


def controls(
    embeddings: Tensor,
    seed: int = 0,
    *,
    pairs: Pairs = None,
    should_stop: ShouldStop = None,
) -> Discrimination:
    """Shuffled controls of both ABX scores of `pairs` (all by default), over all triplets: each must be 0.5 but for chance.

    - language: in every sentence the languages are shuffled, so that A and B are alike in language.
    - meaning: in every language the sentences are shuffled, so that A is any sentence, like B. Retrieval comes from the same
      shuffle; its chance is 1 / sentences.

    One shuffle scatters about 0.5 by about its jackknife standard error; a score well off it means that sentences or vectors
    are not what they are taken for.
    """
    check_shape(embeddings)
    languages, n, _ = embeddings.shape
    generator = torch.Generator().manual_seed(seed)
    labels = torch.rand(languages, n, generator=generator).argsort(0).to(embeddings.device)
    order = torch.rand(languages, n, generator=generator).argsort(1).to(embeddings.device)
    every_sentence = torch.arange(n, device=embeddings.device)
    every_language = torch.arange(languages, device=embeddings.device)[:, None]
    unlabelled = discrimination(embeddings[labels, every_sentence], pairs=pairs, should_stop=should_stop)
    unmatched = discrimination(embeddings[every_language, order], pairs=pairs, should_stop=should_stop)
    return replace(
        unmatched,
        language=unlabelled.language,
        language_se=unlabelled.language_se,
        language_directed=unlabelled.language_directed,
        language_directed_se=unlabelled.language_directed_se,
    )


def _draw(n: int, count: int, seed: int, i: int, j: int) -> tuple[Tensor, Tensor]:
    """`count` ordered pairs p ≠ q of `n` sentences, each as likely: drawn on the CPU, so that every device draws the same."""
    generator = np.random.default_rng([seed, i, j])
    p = generator.integers(n, size=count)
    q = (p + generator.integers(1, n, size=count)) % n
    return torch.from_numpy(p), torch.from_numpy(q)


def _outcomes(row: Tensor, other: Tensor, p: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """1, 1/2 or 0 for each triplet, language and meaning. `row` and `other` are unit vectors: X's language, the other."""
    tolerance = tie_tolerance(row.shape[1])

    def compare(some: slice) -> tuple[Tensor, Tensor]:
        where_p, where_q = p[some].to(row.device), q[some].to(row.device)
        x, wrong = row[where_p], other[where_q]
        first, second = ((x * (right - wrong)).sum(-1) for right in (row[where_q], other[where_p]))
        return _right(first, tolerance), _right(second, tolerance)

    language, meaning = zip(*_in_chunks(compare, len(p), row.device), strict=True)
    return torch.cat(language), torch.cat(meaning)


def _right(difference: Tensor, tolerance: float) -> Tensor:
    """1, 1/2 or 0 for each triplet by how much nearer X is to A."""
    return ((difference > tolerance).double() + (difference >= -tolerance).double()) / 2


def _in_chunks(work: Callable[[slice], T], count: int, device: torch.device) -> list[T]:
    """Do `work` for so many triplets, some at a time, and return what each gave."""
    size = TRIPLETS_AT_ONCE.get(device.type, 50_000)
    tops = range(0, count, size)
    return [each for top in tops for each in in_halves(work, range(top, min(top + size, count)))]


def _one_language(n: int, language: int, count: int, draw: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """X, A and B of `count` triplets, `[2, count]` each (language, sentence): three different sentences of one language."""
    x, second, third = draw.integers(n, size=count), draw.integers(1, n, size=count), draw.integers(1, n - 1, size=count)
    third += third >= second  # of the n - 1 other sentences, as steps from X, any but A's
    return tuple(torch.from_numpy(np.stack([np.full(count, language), p])) for p in (x, (x + second) % n, (x + third) % n))  # type: ignore[return-value]


def _one_meaning(
    languages: int, n: int, pair: tuple[int, int], count: int, draw: np.random.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """X, A and B of `count` triplets, as above: one sentence, X in a third language, A and B in those of `pair`."""
    others = np.array([k for k in range(languages) if k not in pair])
    sentence, coin = draw.integers(n, size=count), draw.integers(2, size=count)
    spoken = (others[draw.integers(len(others), size=count)], np.array(pair)[coin], np.array(pair)[1 - coin])
    return tuple(torch.from_numpy(np.stack([each, sentence])) for each in spoken)  # type: ignore[return-value]


def _share(units: Tensor, x: Tensor, a: Tensor, b: Tensor) -> float:
    """Return the share of triplets whose X is nearer to A, ties one half; `[2, triplets]` each: language, sentence."""
    tolerance, triplets = tie_tolerance(units.shape[2]), torch.cat((x, a, b))

    def count(some: slice) -> float:
        of = triplets[:, some].to(units.device)
        difference = (units[of[0], of[1]] * (units[of[2], of[3]] - units[of[4], of[5]])).sum(-1)
        return float(_right(difference, tolerance).sum())

    return sum(_in_chunks(count, x.shape[1], units.device)) / x.shape[1]
