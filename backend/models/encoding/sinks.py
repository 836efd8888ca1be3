"""How long tokens' vectors are, and what the first one weighs: of a decoder it may be an attention sink, which rules a mean.

Sources: Sun et al. 2024, "Massive Activations in Large Language Models"; Xiao et al. 2024, "Efficient Streaming Language Models
with Attention Sinks".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def token_lengths(hidden: Tensor) -> Tensor:
    """Return the Euclidean length of every token's vector: `hidden [batch, tokens, dims]` → float32 `[batch, tokens]`."""
    lengths: Tensor = torch.linalg.vector_norm(hidden, dim=-1, dtype=torch.float32)
    return lengths


def sinks(lengths: Tensor, mask: Tensor) -> Tensor:
    """Return ‖h₁‖ / median over t of ‖hₜ‖ of each sentence: `lengths [batch, layers, tokens]` → `[batch, layers]`.

    Over all tokens, special ones and the first too; of an even number the lower of both middle ones. `mask [batch, tokens]` is
    true for tokens, false for padding on either side. 1 for a sentence of one token, or of vectors of length 0; 0 for none.
    """
    real, first = _real_and_first(mask)
    median = lengths.masked_fill(~real, torch.nan).nanmedian(dim=-1).values
    longest = (lengths.masked_fill(~first, 0)).sum(dim=-1)
    ratio = torch.where(median > 0, longest / median, torch.where(longest > 0, torch.inf, 1.0))
    return torch.where(real.any(dim=-1), ratio, 0.0).clamp(max=torch.finfo(torch.float32).max)


def first_shares(lengths: Tensor, mask: Tensor, token_weights: Tensor) -> Tensor:
    """Return the first token's part of what makes a sentence's vector, 0 to 1: w₁‖h₁‖ / Σ wₜ‖hₜ‖, `[batch, layers]`.

    `token_weights [batch, tokens]` are those of a pooling (`pooling.weights`), `lengths` and `mask` as in `sinks`. 0 where
    nothing has any length.
    """
    real, first = _real_and_first(mask)
    parts = lengths.masked_fill(~real, 0) * token_weights[:, None]  # some architectures leave NaN at padding
    return parts.masked_fill(~first, 0).sum(dim=-1) / parts.sum(dim=-1).clamp(min=torch.finfo(torch.float32).tiny)


def _real_and_first(mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return which places hold a token, and which a sentence's first: `[batch, 1, tokens]` each."""
    real = mask.bool()[:, None]
    return real, real & (real.cumsum(dim=-1) == 1)
