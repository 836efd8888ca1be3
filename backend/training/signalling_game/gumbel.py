"""The Gumbel-softmax: a sample of a symbol through which gradients flow (Jang et al. 2017; Maddison et al. 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def gumbel_noise(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Draw standard Gumbel noise of a shape, float32, on the generator's device."""
    return -torch.empty(shape, device=generator.device).exponential_(generator=generator).log()


def gumbel_softmax(logits: Tensor, noise: Tensor, temperature: float, straight_through: bool) -> Tensor:
    """Relaxed one-hot samples `[…, symbols]` of the distributions with these logits.

    The largest entry is where `logits + noise` is largest: an exact sample, whatever the temperature. With
    `straight_through` the sample is one-hot, and its gradient that of the relaxed sample.
    """
    relaxed = ((logits + noise) / temperature).softmax(-1)
    if not straight_through:
        return relaxed
    return one_hot(relaxed) - relaxed.detach() + relaxed


def one_hot(logits: Tensor) -> Tensor:
    """One-hot vectors of the largest entries `[…, symbols]`, the first where several are; no gradient."""
    return torch.zeros_like(logits).scatter_(-1, logits.argmax(-1, keepdim=True), 1.0)
