"""Vectors without what tells their language: centred, or without directions that languages differ in or are strong in.

- mean: each language's mean is taken off.
- lsar: the r directions that the languages' means differ most in are projected out: the first left singular vectors of the
  means less their mean. The paper then moves that mean until it is orthogonal to them, which changes nothing of the directions.
- lir: each language's own r first right singular vectors (uncentred) are projected out of it.

All are estimated on the vectors that are given. Sources: Pires et al. 2019, section 5; Xie et al. 2022, "Discovering Low-rank
Subspaces for Language-agnostic Multilingual Representations", algorithm 1; Yang et al. 2021, "A Simple and Effective Method To
Eliminate the Self Language Bias in Multilingual Representations", section 2.
"""

from __future__ import annotations

import torch
from torch import Tensor

from isogloss.backend.metrics.geometry.options import Removal


@torch.no_grad()
def without_language(vectors: Tensor, removal: Removal, rank: int = 1) -> Tensor:
    """Return vectors `[languages, n, dims]` without their language, float64 for float64, else float32.

    `vectors` are at their true length. Where `rank` is more than there are directions (languages − 1 of lsar, n or dims of
    lir), all of them go.
    """
    kind = torch.float64 if vectors.dtype == torch.float64 else torch.float32
    if removal == "nothing":
        return vectors.to(kind)
    out = torch.empty(vectors.shape, dtype=kind, device=vectors.device)
    shared = language_subspace(vectors.double().mean(1), rank) if removal == "lsar" else None
    for language, of_language in enumerate(vectors):  # one at a time: no second copy of all in float64
        exact = of_language.double()
        if removal == "mean":
            out[language] = exact - exact.mean(0)
        else:
            axes = shared if shared is not None else top_components(exact, rank)
            out[language] = exact - (exact @ axes) @ axes.mT
    return out


def language_subspace(means: Tensor, rank: int) -> Tensor:
    """Return LSAR's basis of what languages' means `[languages, dims]` differ in: float64 `[dims, r]`, r < languages."""
    return _directions((means.double() - means.double().mean(0)).mT, min(rank, len(means) - 1))


def top_components(vectors: Tensor, rank: int) -> Tensor:
    """Return the first right singular vectors of one language's vectors `[n, dims]`, uncentred: float64 `[dims, r]`."""
    exact = vectors.double()
    n, dims = exact.shape
    if n > dims:
        values, axes = torch.linalg.eigh(exact.mT @ exact)
        some = values.flip(0)[:rank] > values[-1] * 1e-14
        first: Tensor = axes.flip(1)[:, :rank][:, some]
        return first
    return _directions(exact.mT, rank)


def _directions(columns: Tensor, rank: int) -> Tensor:
    """Return the first left singular vectors that are directions at all: none where all columns are 0."""
    u, s, _ = torch.linalg.svd(columns, full_matrices=False)
    first: Tensor = u[:, :rank][:, s[:rank] > s[:1] * 1e-12]
    return first
