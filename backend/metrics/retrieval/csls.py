"""Cross-domain similarity local scaling (CSLS): cosine, less how crowded the neighbourhoods of both vectors are.

For x of a set X and y of a set Y, with r_Y(x) the mean cosine of x to the k vectors of Y nearest to it,

    CSLS(x, y) = 2 cos(x, y) - r_Y(x) - r_X(y).

A hub, near to everything, loses what makes it everything's nearest neighbour.
Source: Conneau et al. 2018, "Word Translation Without Parallel Data", section 2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from isogloss.backend.metrics.blocks import for_blocks

if TYPE_CHECKING:
    from isogloss.backend.metrics.blocks import ShouldStop


def neighbourhood(
    points: Tensor, others: Tensor, k: int, *, own: Tensor | None = None, should_stop: ShouldStop = None
) -> Tensor:
    """Neighbourhood r of each point: the mean cosine to the k nearest of `others`, `[n points]`.

    Both are unit vectors, `[n, dims]`. `own[p]`, where given, is the index in `others` of point p itself, which is no neighbour
    of its own. Where there are fewer than k others, all are taken; where there are none, or k is 0, r is 0.
    """
    means = points.new_zeros(len(points))
    nearest = min(k, len(others) - (own is not None))

    def work(block: slice) -> None:
        similarities = points[block] @ others.mT
        if own is not None:
            similarities.scatter_(1, own[block, None], -torch.inf)
        means[block] = mean_of_nearest(similarities, nearest)

    if nearest > 0:
        for_blocks(work, len(points), len(others), points.device, should_stop)
    return means


def mean_of_nearest(similarities: Tensor, k: int) -> Tensor:
    """Return the mean of the k greatest of each row; 0 where k is 0."""
    if k == 0:
        return similarities.new_zeros(len(similarities))
    return similarities.topk(k, dim=1, sorted=False).values.mean(1)


def check_vectors(u: Tensor, v: Tensor) -> None:
    """Raise ValueError unless both are floating `[n, dims]` with the same dims on one device, as many of each."""
    fits = u.ndim == v.ndim == 2 and u.shape[1] == v.shape[1] and 0 not in (*u.shape, *v.shape)
    if not fits or not u.is_floating_point() or not v.is_floating_point() or u.device != v.device:
        raise ValueError(
            "Retrieval needs two floating tensors [n, dims] with the same dims, on one device and not empty, "
            f"not {u.dtype} {list(u.shape)} on {u.device} and {v.dtype} {list(v.shape)} on {v.device}."
        )
    if len(u) != len(v):
        raise ValueError(f"Row i of both sets must be a pair, but there are {len(u)} and {len(v)} rows.")


def check_neighbours(k: int) -> None:
    """Raise ValueError for k < 1."""
    if k < 1:
        raise ValueError(f'k, the number of neighbours, must be at least 1, not {k}. For plain cosine: similarity="cosine".')
