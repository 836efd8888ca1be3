"""The features of a pair of sentences."""

from __future__ import annotations

import torch
from torch import Tensor


def pair_features(u: Tensor, v: Tensor) -> Tensor:
    """`[u; v; |u - v|; u * v]`: sentence vectors `[..., dims]` of a pair → its features `[..., 4 · dims]`, float32.

    nan in either stays nan. Raises ValueError unless both have one shape.
    Source: Conneau et al. 2017, "Supervised Learning of Universal Sentence Representations", section 3.1.
    """
    if u.shape != v.shape or u.ndim < 1:
        raise ValueError(f"A pair needs two vectors of one shape, not {list(u.shape)} and {list(v.shape)}.")
    u, v = u.float(), v.float()  # a product of two float16 can be beyond float16
    return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
