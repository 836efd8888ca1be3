"""Which triplets a layer gets wrong, for one pair of languages: the sentences behind an ABX score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from backend.metrics.abx.counting import unit_vectors
from backend.metrics.abx.exact import check_shape

Task = Literal["language", "meaning"]


@dataclass(frozen=True)
class Triplet:
    """One triplet in the direction whose X comes from the row language i; p and q are positions of sentences.

    X is sentence p in i. language: A is sentence q in i, B is sentence q in j. meaning: A is sentence p in j, B is sentence q
    in j. `right` is the cosine of X and A, `wrong` that of X and B; the triplet is wrong where `margin` is below 0.
    """

    p: int
    q: int
    right: float
    wrong: float

    @property
    def margin(self) -> float:
        """Subtract the cosine of X and B from that of X and A: -2 to 2."""
        return self.right - self.wrong


@torch.no_grad()
def worst_triplets(row: Tensor, other: Tensor, k: int = 20, *, per_sentence: int = 1) -> dict[Task, list[Triplet]]:
    """Return the `k` triplets with the lowest margins for both tasks, lowest first, at most `per_sentence` for each X.

    `row` and `other` are `[sentences, dims]`: languages i and j. Where the layer confuses fewer than k, the last ones are
    those that it nearly confuses, with a margin of 0 or more. One sentence makes no triplets. Memory: four matrices of
    sentences² in float64.
    Raises ValueError for different shapes and for vectors that are not finite.
    """
    found: dict[Task, list[Triplet]] = {"language": [], "meaning": []}
    n = row.shape[0]
    own, across = _similarities(row, other)
    for task, triplets in found.items():
        margins = _margins(task, own, across)
        each, q = margins.topk(min(per_sentence, n - 1), dim=1, largest=False)
        chosen = each.flatten().argsort(stable=True)[:k]
        p, q = chosen // max(1, each.shape[1]), q.flatten()[chosen]
        right = own[p, q] if task == "language" else across[p, p]
        for index in zip(p.tolist(), q.tolist(), right.tolist(), across[p, q].tolist(), strict=True):
            triplets.append(Triplet(*index))
    return found


def _similarities(row: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Return the cosines within the row language and from it to the other one, float64 `[sentences, sentences]`."""
    if row.shape != other.shape:
        raise ValueError(f"Parallel sentences need vectors of one shape, not {list(row.shape)} and {list(other.shape)}.")
    pair = torch.stack((row, other))
    check_shape(pair)
    x, b = unit_vectors(pair)
    return x @ x.mT, x @ b.mT


def _margins(task: Task, own: Tensor, across: Tensor) -> Tensor:
    """S(X, A) - S(X, B) at [p, q]; infinite where p = q, which is no triplet."""
    margins = own - across if task == "language" else across.diagonal()[:, None] - across
    margins.diagonal().fill_(torch.inf)
    return margins
