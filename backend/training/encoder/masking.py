"""Masked language modelling (Devlin et al. 2019, section 3.1; dynamic masks as in RoBERTa, Liu et al. 2019)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    import numpy as np

IGNORED = -100
"""The label that torch's cross entropy leaves out."""


def mask(
    tokens: torch.Tensor, maskable: torch.Tensor, *, share: float, mask_id: int, ordinary: range, random: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Hide a share of the tokens for the model to predict (`docs/definitions.md`, "Encoders").

    Args:
        tokens: Ids, `[batch, length]`.
        maskable: True where a token may be chosen (neither padding nor special), `[batch, length]`.
        share: Probability that a maskable token is chosen; of the chosen 80% are masked, 10% replaced, 10% kept.
        mask_id: The id of `<mask>`.
        ordinary: Ids that a token may be replaced by.
        random: The generator.

    Returns:
        The tokens with some hidden, and the labels: the true id where a token was chosen, `IGNORED` elsewhere.
    """
    draws = torch.from_numpy(random.random(tuple(tokens.shape)))
    draws = draws.masked_fill(~maskable, 2.0)
    chosen = draws < share
    if not chosen.any() and maskable.any():
        chosen = draws == draws.min()
    fate = torch.from_numpy(random.random(tuple(tokens.shape)))
    others = torch.from_numpy(random.integers(ordinary.start, ordinary.stop, tuple(tokens.shape)))
    hidden = torch.where(chosen & (fate < 0.8), torch.full_like(tokens, mask_id), tokens)
    hidden = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, hidden)
    return hidden, torch.where(chosen, tokens, torch.full_like(tokens, IGNORED))
