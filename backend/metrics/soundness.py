"""Whether a cosine of sentence vectors is one of whole vectors, or of few of their dimensions."""

from __future__ import annotations

import torch
from torch import Tensor

TOP = 3
"""Dimensions that are taken together: one to three carry most of the cosine in the models of Timkey & van Schijndel 2021."""


@torch.no_grad()
def cosine_and_top_share(vectors: Tensor) -> tuple[float, float]:
    """Return the mean cosine of two different sentences of one language, and the share in it of the three dimensions with most.

    `vectors` are `[sentences, dims]` in float32. With unit vectors u, dimension d gives c_d, the mean over p ≠ q of u_pd u_qd;
    the cosine is Σ c_d, the share the sum of the three largest c_d / Σ c_d (Timkey & van Schijndel 2021, section 3; all pairs
    in place of drawn ones). Dimensions may take from the cosine what others give, so that the share can exceed 1. nan for fewer
    than two sentences; the share also where the mean cosine is not above 0. Raises ValueError where a vector is not finite.
    """
    n = len(vectors)
    if n < 2:
        return torch.nan, torch.nan
    lengths = torch.linalg.vector_norm(vectors, dim=-1)
    if not bool(lengths.isfinite().all()):
        raise ValueError("A sentence's vector is not finite: the model gave NaN or infinite values there.")
    inverse = torch.where(lengths > 0, 1 / lengths, 0.0)
    # Products with vectors, in float32: no unit vectors are laid down, which would take longer than all else.
    parts = ((inverse @ vectors).double().square() - (inverse.square() @ vectors.square()).double()) / (n * (n - 1))
    cosine, top = float(parts.sum()), float(parts.topk(min(TOP, len(parts))).values.sum())
    return cosine, top / cosine if cosine > 0 else torch.nan
