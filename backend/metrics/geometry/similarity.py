"""Representational similarity of pairs of languages, from each language's own Gram matrix: RSA and debiased linear CKA.

RSA: Spearman's correlation of the cosines of all pairs of different sentences in one language with those in the other.
CKA: of the products of all pairs of sentences, HSIC(K, L) / √(HSIC(K, K) HSIC(L, L)), HSIC estimated without bias:

    HSIC = (Σ K∘L + ΣK ΣL / ((n − 1)(n − 2)) − 2 (K1)·(L1) / (n − 2)) / (n (n − 3)), the diagonals of K and L being 0.

Errors are of delete-one values in closed form; of RSA, ranks stay those among all sentences.
Sources: Kriegeskorte et al. 2008; Kornblith et al. 2019, "Similarity of Neural Network Representations Revisited", section 3;
Murphy, Zylberberg & Fyshe 2024, "Correcting Biased Centered Kernel Alignment Measures", after Song et al. 2012, Eq. 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from isogloss.backend.metrics.blocks import workers
from isogloss.backend.metrics.cosines import tie_tolerance
from isogloss.backend.metrics.geometry.measured import Measured, deleted, nothing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pairs = tuple[Tensor, Tensor]

ROWS = 1 << 21
"""Numbers of Gram rows in hand while sentences are left out: 8 MB a core."""


@dataclass(frozen=True)
class Grams:
    """Two matrices of each of some languages `[languages, n, n]`, float32, each symmetric with a diagonal of 0."""

    ranks: Tensor
    """Ranks of the cosines less their mean, the sum of squares over pairs of sentences 1; 0 where all tie."""
    products: Tensor
    """Products of centred vectors, the sum of squares 1."""


@torch.no_grad()
def ranks_of(cosines: Tensor, dims: int) -> Tensor:
    """Return `Grams.ranks` of one language's cosines `[n, n]`, ties at their mean rank."""
    n = len(cosines)
    above, below = _halves(n)
    values = np.take(cosines.cpu().numpy(), above)
    order = ordered(values)
    ranked = values.take(order)
    places = np.arange(len(values)) - (len(values) - 1) / 2
    new = ranked[1:] - ranked[:-1] > tie_tolerance(dims)
    if not new.all():  # those that tie have the middle one of their places
        starts = np.flatnonzero(np.append(True, new))
        many = np.diff(starts, append=len(values))
        places = np.repeat(places[starts] + (many - 1) / 2, many)
    ranks = np.empty(len(values), np.float32)
    ranks[order] = places / (np.sqrt(np.square(places).sum()) or 1.0)  # not by BLAS, whose threads are in the way of these
    square = np.zeros((n, n), np.float32)
    np.put(square, above, ranks)
    np.put(square, below, ranks)
    return torch.from_numpy(square).to(cosines.device)


def ordered(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return what sorts numbers between −1 and 1, as `argsort` in less than half of its time; NaN has no place.

    By their first 32 bits, 16 at a time, which NumPy sorts without comparing; then those that these do not tell apart.
    """
    first = ((values + 1.5) * 2.0**30).astype(np.uint32)  # from 2²⁹ to 2.5 · 2³⁰, and a little more by rounding
    order = np.argsort(first.astype(np.uint16), kind="stable")
    order = order.take(np.argsort((first >> 16).astype(np.uint16).take(order), kind="stable"))
    ranked = first.take(order)
    same = ranked[1:] == ranked[:-1]
    together = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    some = order[together]
    order[together] = some[np.argsort(values[some], kind="stable")]
    return order


@lru_cache(maxsize=1)
def _halves(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where above the diagonal, and where below it, each pair of different rows stands in a matrix laid flat."""
    first, second = np.triu_indices(n, 1)
    return first * n + second, second * n + first


@torch.no_grad()
def products_of(cosines: Tensor, lengths: Tensor) -> Tensor:
    """Return `Grams.products` of one language from its cosines `[n, n]` and the vectors' lengths `[n]`."""
    # Centred, which HSIC without bias does not notice, so that float32 has digits enough.
    scaled = (lengths / lengths.square().mean().sqrt() if lengths.any() else lengths).float()
    gram = cosines.float().mul_(scaled[:, None]).mul_(scaled)
    means = gram.mean(0)
    gram = gram.sub_(means - means.mean() / 2).sub_((means - means.mean() / 2)[:, None]).fill_diagonal_(0)
    size = torch.linalg.matrix_norm(gram)
    return gram.div_(size) if size > 1e-6 * len(gram) else gram.zero_()


@torch.no_grad()
def rsa(grams: Grams, pairs: Pairs) -> Measured:
    """Spearman's correlation, −1 to 1; nan where a language's cosines all tie, or for fewer than three sentences."""
    ranks, (first, second) = grams.ranks, pairs
    n = ranks.shape[1]
    if n < 3 or not len(first):
        return nothing(len(first))
    cross = _crossed(ranks, pairs).double()
    total = cross.sum(0) / 2
    sums, squares = ranks.sum(2, dtype=torch.float64), _squares(ranks)
    left = (n - 1) * (n - 2) / 2
    spread = (1 - squares - sums.square() / left).clamp_min(1e-30).sqrt()  # of the ranks without each sentence
    without = (total - cross).mT.sub_(sums[first] * sums[second] / left).div_(spread[first] * spread[second])
    some = squares.sum(1) > 0.5
    return deleted(torch.where(some[first] & some[second], total.clamp(-1, 1), torch.nan), without)


@torch.no_grad()
def cka(grams: Grams, pairs: Pairs) -> Measured:
    """Debiased linear CKA, 1 where one language's vectors are the other's turned and scaled, about 0 for what is unrelated.

    nan where a language's vectors are all alike, and for fewer than four sentences; without error for fewer than five.
    """
    products, (first, second) = grams.products, pairs
    languages, n, _ = products.shape
    if n < 4 or not len(first):
        return nothing(len(first))
    own = torch.arange(languages, device=products.device)
    sums = products.sum(2, dtype=torch.float64)
    mixed = products @ sums.float().mT  # Σ_q K_i[p, q] L1[q]: [i, p, j]

    def of(side: Pairs, cross: Tensor) -> tuple[Tensor, Tensor]:
        both = mixed[side[0], :, side[1]] + mixed[side[1], :, side[0]]
        whole = _hsic(cross.double().sum(0), sums, side)
        return whole, _hsic_without(cross.double(), both.mT.double(), sums, side)

    value, without = of(pairs, _crossed(products, pairs))
    own_value, own_without = of((own, own), _squares(products).mT)
    return deleted(_normalised(value, own_value, first, second), _normalised(without, own_without, first, second).mT)


def _normalised(crossed: Tensor, own: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """HSIC of pairs `[…, pairs]` over the root of both languages' own `[…, languages]`."""
    size = own[..., first] * own[..., second]
    positive = (own[..., first] > 0) & (own[..., second] > 0)
    return torch.where(positive, crossed / size.clamp_min(1e-300).sqrt(), torch.nan)


def _hsic(whole: Tensor, sums: Tensor, side: Pairs) -> Tensor:
    """HSIC without bias, but for its factor 1 / (n (n − 3)); `whole` is Σ K∘L, `sums` the rows' `[languages, n]`."""
    one, other = (sums[each] for each in side)
    n = sums.shape[1]
    return whole + one.sum(1) * other.sum(1) / ((n - 1) * (n - 2)) - 2 * (one * other).sum(1) / (n - 2)


def _hsic_without(cross: Tensor, mixed: Tensor, sums: Tensor, side: Pairs) -> Tensor:
    """Return `_hsic` without each sentence p: `[n, pairs]`; nan where that leaves too few.

    `cross` is Σ_q K[p, q] L[p, q], `mixed` Σ_q K[p, q] L1[q] + L[p, q] K1[q].
    """
    n = sums.shape[1] - 1
    if n < 4:
        return torch.full_like(cross, torch.nan)
    one, other = (sums[each] for each in side)
    totals = (one.sum(1, keepdim=True) - 2 * one).mul_(other.sum(1, keepdim=True) - 2 * other)
    products = one * other
    dot = (products.sum(1, keepdim=True) - products).mT - mixed + cross
    return cross.sum(0) - 2 * cross + totals.mT / ((n - 1) * (n - 2)) - 2 * dot / (n - 2)


def _squares(matrices: Tensor) -> Tensor:
    """Return the sum of squares of each row, float64 `[languages, n]`, with no matrix of squares in between."""
    norms: Tensor = torch.linalg.vector_norm(matrices, dim=2)
    return norms.double().square()


def _crossed(matrices: Tensor, side: Pairs) -> Tensor:
    """Return Σ_q K_i[p, q] K_j[p, q] of all sentences p and pairs: float32 `[n, pairs]`."""
    languages, n, _ = matrices.shape
    crossed = matrices.new_empty(n, len(side[0]))
    step = max(1, min(ROWS // (languages * n), -(-n // torch.get_num_threads())))

    def cross(top: int) -> None:
        some = matrices[:, top : top + step].transpose(0, 1).contiguous()
        crossed[top : top + step] = (some @ some.mT)[:, side[0], side[1]]

    with workers(matrices.device) as for_each:
        for_each(cross, range(0, n, step))
    return crossed
