"""Similarity of pairs of vectors, such as of sentences and their translations, and who is whose random partner.

Source: Gaschi et al. 2022, figures 4 and 5 (cosines of translations and of random pairs); Chi, Huang & Mao 2023, tables 1
and 5 (distances, dot products and cosines, which there rank transfer directions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from isogloss.backend.metrics.cosines import unit_vectors
from isogloss.backend.metrics.retrieval.csls import check_vectors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@torch.no_grad()
def pair_cosines(u: Tensor, v: Tensor) -> Tensor:
    """Compute each row's cosine of u and v: float64 `[n]` on the CPU, from `[n, dims]` of any floating type.

    For random pairs give `v[random_partners(n, seed)]`. A zero vector has cosine 0 with everything.
    Raises ValueError for wrong shapes or types, and for a vector that is not finite.
    """
    check_vectors(u, v)
    return (unit_vectors(u, "u") * unit_vectors(v, "v")).sum(1).clamp_(-1, 1).cpu()


@torch.no_grad()
def pair_distances(u: Tensor, v: Tensor) -> Tensor:
    """Return the Euclidean distance of each row of u from the same row of v: float64 `[n]` on the CPU, lower = nearer.

    `[n, dims]` of any floating type, at their true length; the differences are taken in float64. Raises as `pair_cosines` does.
    """
    check_vectors(u, v)
    distances: Tensor = torch.linalg.vector_norm(_finite(u, "u") - _finite(v, "v"), dim=1)
    return distances.cpu()


@torch.no_grad()
def pair_products(u: Tensor, v: Tensor) -> Tensor:
    """Compute each row's dot product of u and v: float64 `[n]` on the CPU. Arguments as for `pair_distances`."""
    check_vectors(u, v)
    return (_finite(u, "u") * _finite(v, "v")).sum(1).cpu()


def random_partners(n: int, seed: int) -> NDArray[np.int64]:
    """Return a random partner for each of n items, int64 `[n]`: never itself, and each the partner of exactly one.

    Any other item is equally likely; the same seed gives the same partners. Raises ValueError for n < 2.
    """
    if n < 2:
        raise ValueError(f"A random partner that is not the translation needs at least two pairs, not {n}.")
    return random_partners_within(np.zeros(n, np.int64), seed)[1]


def random_partners_within(groups: ArrayLike, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each item a random partner of the same group, such as another word pair of the same pair of sentences.

    `groups` is `[n]`, the group of each item. Returns the items that have a partner, ascending, and their partners, int64;
    items alone in their group are left out. Within a group, partners are as those of `random_partners`.
    """
    group = np.asarray(groups)
    shuffled = np.random.default_rng(seed).permutation(len(group))
    order = shuffled[np.argsort(group[shuffled], kind="stable")]  # group by group, each in random order
    _, starts, sizes = np.unique(group[order], return_index=True, return_counts=True)
    following = np.arange(1, len(order) + 1)
    following[starts + sizes - 1] = starts  # the partner is the next of the group, after the last comes the first
    partner = np.empty(len(order), np.int64)
    partner[order] = order[following]
    items = np.flatnonzero(partner != np.arange(len(order)))
    return items, partner[items]


def _finite(vectors: Tensor, name: str) -> Tensor:
    """Return the vectors in float64. Raises ValueError for one that is not finite."""
    unit_vectors(vectors, name)
    return vectors.double()
