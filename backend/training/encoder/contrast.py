"""The translation contrast of InfoXLM (Chi et al. 2021, section 3.3): a sentence is to be nearest to its translation.

Three simplifications, for small models: negatives are the other pairs of the batch (no momentum queue), both directions are
scored, and the sentence vector is the mean over a layer's tokens, as ABX pools it, instead of the first token's projection.
"""

from __future__ import annotations

import torch
from torch.nn import functional


def mean_pooled(states: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Average `states` `[batch, length, dims]` over the tokens where `words` `[batch, length]` is true: `[batch, dims]`.

    A sentence without any such token gives the zero vector.
    """
    weights = words.unsqueeze(-1).to(states.dtype)
    total: torch.Tensor = (states * weights).sum(1)
    return total / weights.sum(1).clamp(min=1.0)


def translation_contrast(one: torch.Tensor, other: torch.Tensor, temperature: float) -> torch.Tensor:
    """InfoNCE over cosines, mean of both directions.

    Args:
        one: vectors of sentences, `[pairs, dims]`.
        other: vectors of their translations, in the same order, `[pairs, dims]`.
        temperature: what cosines are divided by; smaller is sharper.

    Returns:
        A scalar: `-log softmax` of each sentence's own translation among all `other`, and the reverse. `log(pairs)` is chance.
    """
    similarity = functional.normalize(one, dim=-1) @ functional.normalize(other, dim=-1).T / temperature
    own = torch.arange(len(one), device=one.device)
    return (functional.cross_entropy(similarity, own) + functional.cross_entropy(similarity.T, own)) / 2
