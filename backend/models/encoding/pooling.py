"""From a vector a token to a vector a sentence. Pure functions of tensors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from isogloss.backend.models.entry import Pooling


def weights(mask: Tensor, special_mask: Tensor, pooling: Pooling) -> Tensor:
    """Return how much each token counts in its sentence's vector: `[batch, tokens]` float32, each row summing to one.

    Args:
        mask: `[batch, tokens]`, true for tokens, false for padding (on either side).
        special_mask: `[batch, tokens]`, true for the tokens that the tokeniser added (`<s>`, `[CLS]`, a language code).
        pooling: `mean` over tokens that are not special (over the special ones where a sentence has no others),
            `mean_special` over all, `first` and `last` the outermost token, special or not.

    A sentence without any token has weights of zero.
    """
    real = mask.bool()
    match pooling:
        case "mean":
            ordinary = real & ~special_mask.bool()
            chosen = torch.where(ordinary.any(dim=1, keepdim=True), ordinary, real)
        case "mean_special":
            chosen = real
        case "first":
            chosen = real & (real.cumsum(dim=1) == 1)
        case "last":
            chosen = real & (real.flip(1).cumsum(dim=1).flip(1) == 1)
    counts = chosen.sum(dim=1, keepdim=True).clamp(min=1)
    return chosen.float() / counts


def pooler(mask: Tensor, special_mask: Tensor, pooling: Pooling) -> Callable[[Tensor], Tensor]:
    """Return what makes one vector a sentence of each layer: `hidden [batch, tokens, dims]` → `[batch, dims]` float32.

    Arguments as in `weights`; made once for all layers of a batch.
    """
    token_weights = weights(mask, special_mask, pooling)
    if pooling in ("first", "last"):  # no sum over all tokens for the sake of one of them
        return partial(_pick, tokens=token_weights.argmax(dim=1), there=token_weights.any(dim=1))
    return partial(apply, token_weights=token_weights)


def apply(hidden: Tensor, token_weights: Tensor) -> Tensor:
    """Return the weighted sum over tokens of `hidden [batch, tokens, dims]` by `token_weights [batch, tokens]`, in float32.

    Tokens of weight zero are masked, not multiplied: some architectures leave NaN at padding, and 0 × NaN is NaN.
    """
    kept = hidden.float().masked_fill((token_weights == 0).unsqueeze(-1), 0.0)
    return torch.bmm(token_weights.unsqueeze(1), kept).squeeze(1)


def _pick(hidden: Tensor, tokens: Tensor, there: Tensor) -> Tensor:
    """Return the token numbered `tokens [batch]` of each sentence; zeros where none is `there [batch]`."""
    rows = torch.arange(len(tokens), device=hidden.device)
    return hidden[rows, tokens].float().masked_fill(~there.unsqueeze(1), 0.0)
