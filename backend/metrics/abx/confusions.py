"""Which triplets a layer gets wrong, for one pair of languages: the sentences behind an ABX score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from isogloss.backend.device_memory import in_halves
from isogloss.backend.metrics.abx.counting import unit_vectors_by_language
from isogloss.backend.metrics.abx.exact import check_shape

Task = Literal["language", "meaning"]
TASKS: tuple[Task, ...] = ("language", "meaning")


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
    sentences² in float64, or as many rows of them at a time as fit.
    Raises ValueError for different shapes and for vectors that are not finite.
    """
    if row.shape != other.shape:
        raise ValueError(f"Parallel sentences need vectors of one shape, not {list(row.shape)} and {list(other.shape)}.")
    pair = torch.stack((row, other))
    check_shape(pair)
    x, b = unit_vectors_by_language(pair)
    most = min(per_sentence, len(x) - 1)
    parts = in_halves(partial(_lowest, x, b, most), range(len(x)))
    triplets: dict[Task, list[Triplet]] = {}
    for task in TASKS:
        margins, q, right, wrong = (torch.cat(each).flatten() for each in zip(*(part[task] for part in parts), strict=True))
        chosen = margins.argsort(stable=True)[:k]
        p = chosen // max(1, most)
        columns = (p, *(each[chosen] for each in (q, right, wrong)))
        triplets[task] = [Triplet(*each) for each in zip(*(column.tolist() for column in columns), strict=True)]
    return triplets


def _lowest(x: Tensor, b: Tensor, most: int, rows: slice) -> dict[Task, tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Return of each X of some rows its `most` lowest margins, their q, the cosines with A and with B: `[rows, most]` each."""
    own_scores, across = x[rows] @ x.mT, x[rows] @ b.mT
    translations = across.diagonal(rows.start)[:, None]
    found: dict[Task, tuple[Tensor, Tensor, Tensor, Tensor]] = {}
    for task in TASKS:
        margins = own_scores - across if task == "language" else translations - across
        margins.diagonal(rows.start).fill_(torch.inf)  # where p = q there is no triplet
        lowest, q = margins.topk(most, dim=1, largest=False)
        right = own_scores.gather(1, q) if task == "language" else translations.expand(-1, most)
        found[task] = lowest, q, right, across.gather(1, q)
    return found
