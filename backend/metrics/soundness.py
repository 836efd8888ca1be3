"""Whether a cosine of sentence vectors is one of whole vectors, or of few of their dimensions."""

from __future__ import annotations

import torch
from torch import Tensor

TOP = 3
"""Dimensions that are taken together: one to three carry most of the cosine in the models of Timkey & van Schijndel 2021."""


@torch.no_grad()
def cosine_and_top_share(vectors: Tensor) -> tuple[float, float, float]:
    """Return the mean cosine of two different sentences of one language, the share in it of three dimensions, and its error.

    The three are those with most. The error is the jackknife's over sentences, with the same three; nan for fewer than three.

    `vectors` are `[sentences, dims]` in float32. With unit vectors u, dimension d gives c_d, the mean over p ≠ q of u_pd u_qd;
    the cosine is Σ c_d, the share the sum of the three largest c_d / Σ c_d (Timkey & van Schijndel 2021, section 3; all pairs
    in place of drawn ones). Dimensions may take from the cosine what others give, so that the share can exceed 1. nan for fewer
    than two sentences; the share also where the mean cosine is not above 0. Raises ValueError where a vector is not finite.
    """
    n = len(vectors)
    if n < 2:
        return torch.nan, torch.nan, torch.nan
    lengths = torch.linalg.vector_norm(vectors, dim=-1)
    if not bool(lengths.isfinite().all()):
        raise ValueError("A sentence's vector is not finite: the model gave NaN or infinite values there.")
    inverse = torch.where(lengths > 0, 1 / lengths, 0.0)
    # Products with vectors, in float32: no unit vectors are laid down, which would take longer than all else.
    sums, squares = (inverse @ vectors).double(), (inverse.square() @ vectors.square()).double()
    parts = sums.square() - squares  # n (n − 1) c_d
    most = parts.topk(min(TOP, len(parts))).indices
    whole, top = float(parts.sum()), float(parts[most].sum())
    share = top / whole if whole > 0 else torch.nan
    # Without a sentence u, dimension d gives (S_d − u_d)² − (Q_d − u_d²) = parts_d − 2 u_d (S_d − u_d).
    own = vectors[:, most].double() * inverse.double()[:, None]
    along = (vectors @ sums.to(vectors.dtype)).double() * inverse.double()
    length = (lengths > 0).double()  # of a unit vector, squared
    left = (top - 2 * (own * (sums[most] - own)).sum(-1)) / (whole - 2 * (along - length))
    error = float(((left - left.mean()).square().sum() * (n - 1) / n).sqrt()) if n > 2 else torch.nan
    return whole / (n * (n - 1)), share, error
