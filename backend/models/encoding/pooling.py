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
            `mean_special` over all, `first` and `last` the outermost token, special or not. `without_first`: `mean` but
            for the first token of all, where a decoder's attention sink stands; where the tokeniser begins with a special
            token (`<s>`), that is `mean`. A sentence whose only token it is keeps it: its vector is that token's.
            `weighted`: all tokens, special or not, by their place 1 to n, so that the k-th counts k / (n (n + 1) / 2)
            (Muennighoff 2022, SGPT; Kargaran et al. 2025, MEXA).

    A sentence without any token has weights of zero.
    """
    real = mask.bool()
    ordinary, place = real & ~special_mask.bool(), real.cumsum(dim=1) * real
    match pooling:
        case "mean":
            chosen = _first_that_has_any(ordinary, real)
        case "without_first":
            chosen = _first_that_has_any(ordinary & (place > 1), ordinary, real)
        case "mean_special":
            chosen = real
        case "weighted":
            chosen = place
        case "first":
            chosen = place == 1
        case "last":
            chosen = real & (place == place.amax(dim=1, keepdim=True))
    return chosen.float() / chosen.sum(dim=1, keepdim=True).clamp(min=1)


def _first_that_has_any(*chosen: Tensor) -> Tensor:
    """Return of each row the first of these choices of tokens that is not empty, else the last."""
    found = chosen[-1]
    for each in chosen[-2::-1]:
        found = torch.where(each.any(dim=1, keepdim=True), each, found)
    return found


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
