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
    """Hide a share of the tokens for the model to predict.

    Args:
        tokens: ids, `[batch, length]`.
        maskable: true where a token may be chosen (neither padding nor special), `[batch, length]`.
        share: probability that a maskable token is chosen; 80% of the chosen become `mask_id`, 10% another token, 10% stay.
        mask_id: the id of `<mask>`.
        ordinary: ids that a token may be replaced by.
        random: where chance comes from.

    Returns:
        The tokens with some hidden, and the labels: the true id where a token was chosen, `IGNORED` elsewhere. At least one
        token of the batch is chosen if any is maskable, so the loss is never a mean over nothing.
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
