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


PARTS = 6
"""Blocks of rows of a matrix of products; of more the products become too small to be fast."""


def gram(vectors: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the products of each two rows of `vectors` `[n, dims]`: `[n, n]`, written into `out` where that is given.

    Each block of rows is multiplied with those up to it and mirrored, which takes two thirds of the whole product's time.
    """
    n = len(vectors)
    products = vectors.new_empty(n, n) if out is None else out
    for top in range(0, n, step := max(1, -(-n // PARTS))):
        rows = slice(top, min(top + step, n))
        torch.matmul(vectors[rows], vectors[: rows.stop].mT, out=products[rows, : rows.stop])
        products[:top, rows] = products[rows, :top].mT
    return products


def tie_tolerance(dims: int) -> float:
    """Return the difference of two cosines in float64 up to which they count as equal: 8 √dims 2⁻⁵³.

    The rounding of the two products grows like √dims (Higham & Mary 2019) and stays several times below this. Without a
    tolerance equal vectors might not tie: the order of summation can depend on where in a matrix product they stand.
    """
    return 8 * math.sqrt(dims) * 2.0**-53
