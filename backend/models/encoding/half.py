"""float16 vectors whose direction is never lost.

A vector whose largest component lies outside `[2⁻⁶, 65504]` is divided by a power of two, which is exact, and the exponent is
kept beside it: `true vector = stored vector × 2^exponent`. Cosines, ABX and retrieval ignore the exponent; whatever needs
magnitudes uses it. For nearly all vectors it is zero. Why: `docs/definitions.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

_LARGEST = 65504.0
_SMALLEST = 2.0**-6


def to_half(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """float32 `[…, dims]` → the float16 vectors of the same shape and their exponents, int16 `[…]`.

    The vectors must be finite. Each component is off by at most 2⁻¹¹ of itself, or 2⁻¹⁹ of the vector's largest.
    """
    largest = vectors.abs().amax(dim=-1)
    _, exponent = torch.frexp(largest)  # largest = m · 2^exponent with m in [0.5, 1)
    scaled = torch.where(largest > _LARGEST, exponent - 15, exponent)
    outside = (largest > _LARGEST) | ((largest < _SMALLEST) & (largest > 0))
    # 2^127 is the largest power of two in float32; vectors of subnormal numbers stay a little below 0.5.
    exponents = torch.where(outside, scaled, torch.zeros_like(scaled)).clamp(min=-127)
    return torch.ldexp(vectors, -exponents.unsqueeze(-1)).half(), exponents.to(torch.int16)
