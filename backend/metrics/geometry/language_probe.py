"""Can a line tell which language a sentence is of? Closed-form ridge regression onto the languages, sentences left out.

Sentences are in `FOLDS` parts by turns; those of a part are tested, in all languages, by a probe fitted to the others.
W and b minimise Σ ‖Wx + b − y‖² + λ ‖W‖², y being 1 at the language and 0 elsewhere, λ a hundredth of the mean eigenvalue of
the centred XᵀX: our choice. Source: Hoerl & Kennard 1970, "Ridge regression".
"""

from __future__ import annotations

import torch
from torch import Tensor

from isogloss.backend.metrics.cosines import gram

RIDGE = 0.01
FOLDS = 10


@torch.no_grad()
def language_accuracy(vectors: Tensor) -> Tensor:
    """Return how many sentences of each language the probe names right, as shares `[languages]`; chance is 1 / languages.

    `vectors` `[languages, n, dims]` at their true length; in float32 unless they are float64. Languages that tie for a sentence
    share it. nan for fewer than two sentences or one language.
    """
    languages, n, dims = vectors.shape
    if n < 2 or languages < 2:
        return torch.full((languages,), torch.nan, dtype=torch.float64)
    kind = torch.float64 if vectors.dtype == torch.float64 else torch.float32
    x = vectors.to(kind) - vectors.mean((0, 1), dtype=torch.float64).to(kind)
    x /= torch.linalg.vector_norm(x).div(x.numel() ** 0.5).clamp_min(1e-30)
    parts = [x[:, fold::FOLDS] for fold in range(min(FOLDS, n))]
    squares = [gram(part.reshape(-1, dims).mT) for part in parts]
    sums = [part.sum(1).double() for part in parts]  # [languages, dims]
    square, total = torch.stack(squares).sum(0), torch.stack(sums).sum(0)
    right = torch.zeros(languages, dtype=torch.float64, device=x.device)
    for part, own, own_sum in zip(parts, squares, sums, strict=True):
        left = total - own_sum
        mean = left.sum(0) / (languages * (n - part.shape[1]))
        weights, constant = _fitted((square - own).double(), left, mean, languages, n - part.shape[1])
        scores = part @ weights.to(kind) + constant.to(kind)
        best = scores >= scores.amax(2, keepdim=True) - TIES * torch.finfo(kind).eps
        right += best.diagonal(dim1=0, dim2=2).mT.double().div(best.sum(2)).sum(1)
    return (right / n).cpu()


TIES = 2.0**10
"""Scores nearer than so many roundings tie."""


def _fitted(square: Tensor, sums: Tensor, mean: Tensor, languages: int, n: int) -> tuple[Tensor, Tensor]:
    """Return W `[dims, languages]` and b `[languages]` from XᵀX, each language's sum and the mean of n sentences a language."""
    centred = square - (languages * n) * mean[:, None] * mean
    centred.diagonal().add_(RIDGE * centred.diagonal().mean().clamp_min(1e-9))
    weights = torch.cholesky_solve((sums - n * mean).mT, torch.linalg.cholesky(centred))
    return weights, 1 / languages - mean @ weights
