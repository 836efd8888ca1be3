"""What a measure of geometry gives: values, each with its jackknife standard error over sentences."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Measured:
    """Values of pairs of languages, or of languages, `[things]`, float64 on the CPU; nan where a value is not defined."""

    value: Tensor
    error: Tensor
    """Delete-one jackknife standard errors over sentences."""
    away: Tensor | None = None
    """How far the value without each sentence lies from their mean, `[things, sentences]`, where they are computed at once."""


@torch.no_grad()
def deleted(value: Tensor, without: Tensor) -> Measured:
    """Return the values `[things]` with the standard errors that the delete-one values `[things, sentences]` give.

    √((n − 1)/n · Σ (value without k − their mean)²); nan where a sentence's absence leaves no value.
    Source: Efron & Stein 1981.
    """
    without = without.double()
    n = without.shape[-1]
    away = without - without.mean(-1, keepdim=True)
    error = (away.square().sum(-1) * ((n - 1) / n)).sqrt() if n > 2 else torch.full_like(value.double(), torch.nan)
    undefined = value.isnan()
    return Measured(
        value.double().cpu(),
        torch.where(undefined, torch.nan, error).cpu(),
        away.masked_fill_(undefined[..., None], torch.nan),
    )


def nothing(things: int) -> Measured:
    """Return as many values that are not defined."""
    return Measured(*torch.full((2, things), torch.nan, dtype=torch.float64))
