"""Average neuron-wise correlation (ANC): do the same dimensions say the same of a sentence and of its translation?

The mean over dimensions of Pearson's correlation, over sentences, of u_d with v_d. Dimensions that are constant in one of both
languages are left out. Source: Del & Fishel 2022, "Cross-lingual Similarity of Multilingual Representations Revisited".
"""

from __future__ import annotations

import torch
from torch import Tensor

from isogloss.backend.metrics.blocks import workers
from isogloss.backend.metrics.geometry.measured import Measured, deleted, nothing

DIMS = 1 << 21
"""Numbers of some dimensions of all languages in hand."""


@torch.no_grad()
def neuron_correlation(vectors: Tensor, pairs: tuple[Tensor, Tensor]) -> Measured:
    """Return the mean correlation of pairs of languages, −1 to 1; nan for fewer than two sentences or no dimension that varies.

    `vectors` `[languages, n, dims]` at their true length. Errors are the infinitesimal jackknife's (Jaeckel 1972), in
    float32: what each sentence's influence on the correlations comes to.
    """
    languages, n, dims = vectors.shape
    first, second = pairs
    if n < 2 or not len(first):
        return nothing(len(first))
    standard, varies = _standardised(vectors)
    correlations = vectors.new_empty(len(first), dims, dtype=torch.float64)
    step = max(1, DIMS // (languages * n))

    def correlate(top: int) -> None:
        some = standard[:, :, top : top + step].permute(2, 0, 1).contiguous()
        correlations[:, top : top + step] = (some @ some.mT)[:, first, second].mT / n

    with workers(vectors.device) as for_each:
        for_each(correlate, range(0, dims, step))
    used = torch.where((count := (varies[first] & varies[second]).sum(1)) > 0, count, torch.nan)
    value = correlations.sum(1) / used
    return deleted(value, value[:, None] - _influence(standard.float(), correlations.float(), pairs) / used[:, None] / (n - 1))


def _standardised(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Return each dimension of a language less its mean over its standard deviation, and which vary: `[languages, dims]`."""
    standard = torch.empty(vectors.shape, dtype=_kind(vectors), device=vectors.device)
    varies = torch.empty(vectors[:, 0].shape, dtype=torch.bool, device=vectors.device)
    for language, of_language in enumerate(vectors):
        away = of_language.double()
        greatest = away.abs().amax(0)
        away = away - away.mean(0)
        size = away.square().mean(0).sqrt()
        varies[language] = size > 1e-12 * greatest
        standard[language] = torch.where(varies[language], away / size, 0.0)
    return standard, varies


def _kind(vectors: Tensor) -> torch.dtype:
    return torch.float64 if vectors.dtype == torch.float64 else torch.float32


def _influence(standard: Tensor, correlations: Tensor, pairs: tuple[Tensor, Tensor]) -> Tensor:
    """Σ over dimensions of z_u z_v − ρ (z_u² + z_v²) / 2, each sentence's influence on ρ: `[pairs, n]`."""
    first, second = pairs
    influence = standard.new_empty(len(first), standard.shape[1])
    step = max(1, DIMS // standard[:, 0].numel())

    def multiply(top: int) -> None:
        some = standard[:, top : top + step].transpose(0, 1).contiguous()
        influence[:, top : top + step] = (some @ some.mT)[:, first, second].mT

    def take_off(language: int) -> None:
        squares = standard[language].square().mT / 2
        for side in sides:
            here = side[language]
            influence[here] -= correlations[here] @ squares

    sides = [[(side == language).nonzero().squeeze(1) for language in range(len(standard))] for side in pairs]
    with workers(standard.device) as for_each:
        for_each(multiply, range(0, standard.shape[1], step))
    for language in range(len(standard)):  # in turn: a pair is of two
        take_off(language)
    return influence
