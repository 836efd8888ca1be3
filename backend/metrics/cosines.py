"""Vectors of length 1, whose products are cosines, and when two cosines count as equal."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def unit_vectors(vectors: Tensor, name: str, place: str = "Vector {} of {} (from 0)") -> Tensor:
    """`[n, dims]` in float64, each vector of length 1; zero vectors stay zero.

    Raises ValueError where a vector is not finite: `place` with its row and `name`.
    """
    units = vectors.detach().to(torch.float64, copy=True)
    norms = torch.linalg.vector_norm(units, dim=-1, keepdim=True)
    if not bool(norms.isfinite().all()):
        row = int((~norms.isfinite()).squeeze(-1).nonzero()[0])
        raise ValueError(f"{place.format(row, name)} is not finite: the model gave NaN or infinite values there.")
    return units.div_(norms.masked_fill_(norms == 0, 1))


def tie_tolerance(dims: int) -> float:
    """Return the difference of two cosines in float64 up to which they count as equal: 8 √dims 2⁻⁵³.

    The rounding of the two products grows like √dims (Higham & Mary 2019) and stays several times below this. Without a
    tolerance equal vectors might not tie: the order of summation can depend on where in a matrix product they stand.
    """
    return 8 * math.sqrt(dims) * 2.0**-53
