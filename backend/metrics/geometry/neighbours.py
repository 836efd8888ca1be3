"""Neighbours within a language: which sentences are nearest to each, shared with another language, and hubs among them.

Mutual k-nearest neighbours: the share of a sentence's k nearest in one language that are its k nearest in the other.
Hubness: the skewness of how often each sentence is among the k nearest of another.
Sources: Huh et al. 2024, "The Platonic Representation Hypothesis", section 2 and appendix A (k = 10); Radovanović, Nanopoulos &
Ivanović 2010, "Hubs in Space", section 2.1.
"""

from __future__ import annotations

import torch
from torch import Tensor

from isogloss.backend.metrics.blocks import workers
from isogloss.backend.metrics.geometry.measured import Measured, deleted, nothing

GRID = 2.0**36
"""Cosines are compared in whole steps of this part: what differs by rounding alone ties."""


@torch.no_grad()
def nearest(cosines: Tensor, k: int) -> Tensor:
    """Return the rows of the k + 1 nearest other sentences of each, nearest first: int64 `[n, k + 1]`, fewer where n − 1 are.

    `cosines` `[n, n]` float64 are of one language. Of equally near sentences the first counts. Raises ValueError for more than
    2¹⁶ sentences.
    """
    n = len(cosines)
    if n > 1 << 16:
        raise ValueError(f"Neighbours are looked for among at most 65,536 sentences, not {n:,}.")
    # Whole numbers below 2⁵³: the cosine's step first, then the place.
    places = torch.arange(n, device=cosines.device, dtype=cosines.dtype)
    keys = torch.sub(cosines.mul(GRID).round_().mul_(1 << 16), places)
    keys.fill_diagonal_(-torch.inf)
    return keys.topk(min(k + 1, n - 1), dim=1).indices


@torch.no_grad()
def mutual(lists: Tensor, pairs: tuple[Tensor, Tensor], k: int) -> Measured:
    """Mutual k-nearest neighbours of pairs of languages: 0 to 1; expected of chance k / (n − 1), so it falls with n.

    `lists` `[languages, n, k + 1]` are `nearest`s. The errors are by each sentence's part in it (Hájek's projection, `_parts`),
    less half of what chance adds to single neighbours, which both their sentences count: a choice of ours, by simulation. So 95
    to 99% of intervals hold the truth; of exact delete-one values, which are 1.6 times as wide since one next neighbour says
    nothing of the others, all do; and with the other half taken off 88% where most neighbours are mutual. nan for fewer than
    k + 2 sentences.
    """
    first, second = pairs
    n = lists.shape[1]
    if lists.shape[2] < k + 1 or not len(first):
        return nothing(len(first))
    values = lists.new_empty(len(first), dtype=torch.float64)
    spread, away = torch.empty_like(values), lists.new_empty(len(first), n, dtype=torch.float32)

    def of_language(i: int) -> None:
        here = (first == i).nonzero().squeeze(1)
        found, parts = _parts(lists[i], lists[second[here]], k)
        values[here], spread[here] = found.sum(1).double() / (n * k), parts.var(1) / (n * k * k)
        away[here] = (parts.mean(1, keepdim=True) - parts).div_(k * (n - 1)).float()

    with workers(lists.device) as for_each:
        for_each(of_language, sorted(set(first.tolist())))
    single = values * (1 - values) / (n * k)
    return Measured(values.cpu(), (spread - single / 2).clamp_min(0).sqrt().cpu(), away)


def _parts(own: Tensor, others: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return how many neighbours each sentence of one language shares with others, and its part in their sum: `[others, n]`.

    `others` `[others, n, k + 1]` are lists. A sentence has a part by its own neighbours, and by being one: without it, whoever
    has it for a neighbour takes the next, which is shared as often as the next of all sentences.
    """
    n, several = len(own), len(others)
    near, next_of_other = others[:, :, :k], others[:, :, k]
    among = own.new_zeros(n, n, dtype=torch.float32).scatter_(1, own[:, :k], 1.0)
    in_own = among.expand(several, n, n).gather(2, others)  # which of the others' neighbours are this language's as well
    both, other_gains = in_own[:, :, :k], in_own[:, :, k]
    own_gains, same = (near == own[:, k, None]).sum(2).float(), (next_of_other == own[:, k]).float()
    chosen = among.sum(0).expand(several, n)
    chosen_there = both.new_zeros(several, n).scatter_add_(1, near.reshape(several, -1), torch.ones_like(both).flatten(1))
    chosen_by_both = both.new_zeros(several, n).scatter_add_(1, near.reshape(several, -1), both.flatten(1))
    found = both.sum(2)
    rates = (gains.mean(1, keepdim=True) for gains in (own_gains, other_gains, own_gains + other_gains + same))
    votes = chosen - chosen_by_both, chosen_there - chosen_by_both, chosen_by_both
    gained = sum(rate * number for rate, number in zip(rates, votes, strict=True))
    return found, (found + chosen_by_both - gained).double()


@torch.no_grad()
def hubness(lists: Tensor, k: int) -> Measured:
    """Skewness of the k-occurrences in each language: 0 where every sentence is as often a neighbour, above 0: there are hubs.

    `lists` as for `mutual`. The errors are of exact delete-one values: where a neighbour is left out, the next one takes its
    place. By simulation 2.7 times as wide as the truth where no sentence is a hub, about right where some are. nan where all
    sentences are neighbours equally often, and for fewer than k + 2.
    """
    if lists.shape[2] < k + 1:
        return nothing(len(lists))
    found = [_hubness(own, k) for own in lists]
    return deleted(*(torch.stack(part) for part in zip(*found, strict=True)))


def _hubness(own: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the skewness, and that without each sentence `[n]`."""
    n, near, after = len(own), own[:, :k], own[:, k]
    counts = torch.bincount(near.flatten(), minlength=n).double()
    # Row s: how much more than k each is chosen without s. Its own votes are gone, and who voted for it votes for the next.
    without = (counts - k).repeat(n, 1)
    without.scatter_add_(1, near, without.new_full((n, k), -1.0))
    without.view(-1).index_add_(0, (near * n + after[:, None]).flatten(), without.new_ones(n * k))
    without.fill_diagonal_(0)
    square = without.square()
    sums = without.sum(1), square.sum(1), square.mul_(without).sum(1)
    return _skewness(_sums(counts - k), n), _skewness(sums, n - 1)


def _sums(away: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return away.sum(), away.square().sum(), away.pow(3).sum()


def _skewness(sums: tuple[Tensor, Tensor, Tensor], n: int) -> Tensor:
    """Third standardised moment of n numbers by the sums of their powers; nan where nothing varies."""
    mean, square, cube = (each / n for each in sums)
    variance = square - mean.square()
    third = cube - 3 * mean * square + 2 * mean.pow(3)
    return torch.where(variance > 1e-9, third / variance.clamp_min(1e-9).pow(1.5), torch.nan)
