"""How a language's vectors fill their space: anisotropy, effective rank and entropy of the spectrum.

Of the eigenvalues λ of the centred vectors' covariance, p their shares and q the shares of √λ (singular values):
entropy −Σ p ln p, effective rank exp(−Σ q ln q). Anisotropy is the mean cosine of two different sentences.
Sources: Ethayarajh 2019, section 3.3; Roy & Vetterli 2007, "The effective rank"; Skean et al. 2025, "Layer by Layer", section 3
(α → 1). That the covariance is centred, so that the entropy is not anisotropy again: our choice.
"""

from __future__ import annotations

import torch
from torch import Tensor

from isogloss.backend.metrics.cosines import gram
from isogloss.backend.metrics.geometry.measured import Measured, deleted

LEAST = 1e-12
"""Of the greatest eigenvalue: what is less is rounding."""


@torch.no_grad()
def anisotropy(cosines: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean cosine of different sentences of one language, −1 to 1, and that without each `[n]`: exact.

    nan for fewer than two sentences; without each for fewer than three.
    """
    n = len(cosines)
    sums = cosines.sum(1) - cosines.diagonal()
    total = sums.sum()
    return total / (n * (n - 1) or torch.nan), (total - 2 * sums) / ((n - 1) * (n - 2) or torch.nan)


@torch.no_grad()
def spectrum(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Return entropy (nats) and effective rank of one language `[2]`, and both without each sentence `[2, n]`.

    `vectors` `[n, dims]` at their true length; nan where they are all alike. Eigenvectors are found in float32, whose
    errors the variance along them, which is the eigenvalue, has squared. Without a sentence its part of that is gone, and each
    measure changes by its slope there: the infinitesimal jackknife.
    """
    n = len(vectors)
    away = _centred(vectors)
    size = away.square().mean().sqrt()
    if n < 2 or float(size) < 1e-7:
        nothing = vectors.new_full((2, n + 1), torch.nan, dtype=torch.float64)
        return nothing[:, 0], nothing[:, 1:]
    away /= size
    if n > away.shape[1]:
        along = (away @ torch.linalg.eigh(gram(away.mT)).eigenvectors).square()
    else:  # the n × n matrix has the same eigenvalues, and its vectors are where each sentence lies
        axes = torch.linalg.eigh(gram(away)).eigenvectors
        along = axes.square() * (away.mT @ axes).square().sum(0)
    whole = along.sum(0, dtype=torch.float64)
    values, slopes = _of(torch.where(whole > whole.amax() * LEAST, whole, 0.0))
    parts = (along @ slopes.mT.to(along.dtype)).mT.double()  # of each sentence
    return values, values[:, None] - parts * (n / (n - 1))


def _centred(vectors: Tensor) -> Tensor:
    """Return the vectors less their mean over the greatest of their numbers, in float32."""
    greatest = vectors.abs().amax().clamp_min(torch.finfo(vectors.dtype).tiny)
    away = vectors - vectors.mean(0, dtype=torch.float64).to(vectors.dtype)
    # Again: where the mean is far from 0, its own rounding is left in every vector.
    return (away.sub_(away.mean(0)) / greatest).float()


def _of(variances: Tensor) -> tuple[Tensor, Tensor]:
    """Return entropy and effective rank of eigenvalues `[2]`, and how both grow with each eigenvalue `[2, dims]`."""
    sizes = variances.sqrt()
    entropy, slope = _entropy(variances)
    of_sizes, slope_of_sizes = _entropy(sizes)
    rank = of_sizes.exp()
    return torch.stack([entropy, rank]), torch.stack([slope, rank * slope_of_sizes / (2 * sizes).clamp_min(1e-30)])


def _entropy(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return H = −Σ p ln p of the shares p of `weights`, and dH/dw = −(ln p + H) / Σ w, 0 where a weight is."""
    total = weights.sum()
    shares = weights / total
    entropy = torch.special.entr(shares).sum()
    return entropy, torch.where(shares > 0, -(shares.clamp_min(1e-300).log() + entropy) / total, 0.0)


def gathered(found: list[tuple[Tensor, Tensor]]) -> list[Measured]:
    """Return each of several measures over languages: what `spectrum` (or `anisotropy`) gave of each."""
    values, without = (torch.stack([each[part] for each in found]) for part in (0, 1))
    if values.ndim == 1:
        return [deleted(values, without)]
    return [deleted(values[:, place], without[:, place]) for place in range(values.shape[1])]
