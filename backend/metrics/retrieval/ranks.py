"""What was retrieved instead: for each query the nearest candidate, and the rank of the right one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from isogloss.backend.metrics.blocks import for_blocks
from isogloss.backend.metrics.cosines import unit_vectors
from isogloss.backend.metrics.retrieval.csls import check_neighbours, check_vectors, neighbourhood
from isogloss.backend.metrics.retrieval.options import NEIGHBOURS
from isogloss.backend.metrics.retrieval.search import Pairs, Scan, Side, exact_crowding, prepare, search, tolerance

if TYPE_CHECKING:
    from isogloss.backend.metrics.blocks import ShouldStop
    from isogloss.backend.metrics.retrieval.options import Similarity, Task


@dataclass(frozen=True)
class Retrieved:
    """What each query retrieved, and the rank of the right answer: `[n]` each, on the CPU.

    `index` (int64) is the row retrieved, of u where `same_language` (bool), else of v. Of equally near candidates it is the
    first, those of v before those of u, the right one last.
    `rank` (int64) is that of the right one, from 1; a candidate that ties with it goes before it. Rank 1 is what `accuracies`
    counts as found.
    `similarity` and `right_similarity` (float64) are in the measure asked for, of l2 less the distance; `cosine` and
    `right_cosine` are cosines.
    """

    index: Tensor
    same_language: Tensor
    similarity: Tensor
    cosine: Tensor
    rank: Tensor
    right_similarity: Tensor
    right_cosine: Tensor


@torch.no_grad()
def retrieve(
    u: Tensor, v: Tensor, k: int = 10, task: Task = "weak", *, similarity: Similarity = "csls", should_stop: ShouldStop = None
) -> Retrieved:
    """Return what each row of u retrieves, with the candidates that the accuracy of the same name has, see `accuracy`.

    `u` and `v` are `[n, dims]`. CSLS is 2 cos(u_i, c) - r_V(u_i) - r(c), the margin ratio 2 cos(u_i, c) / (r_V(u_i) + r(c)), r
    being the mean cosine to the k nearest. All in float64: some five times as long as the accuracies on a CPU.
    Memory and errors as for `accuracy.accuracies`. With one pair the rank is 1, as there is nothing else.
    """
    check_vectors(u, v)
    check_neighbours(k)
    pairs = prepare(u, v, k, should_stop, similarity=similarity, self_neighbour=task == "strong_self")
    scans: dict[Side, Scan] = {side: search(pairs.exact["u"], pairs.exact[side], side, pairs) for side in _sides(task)}
    crowding = {side: each.crowding for side, each in scans.items()}
    if "v" not in crowding:
        crowding["v"] = exact_crowding(pairs, torch.arange(len(u), device=u.device), "v")
    right = pairs.scores((pairs.exact["u"] * pairs.exact["v"]).sum(1), crowding["v"], pairs.around)
    best = torch.stack([each.best for each in scans.values()]).amax(0)
    rank, index, same = _ranks(pairs, crowding, list(scans), right, best)
    units = pairs.exact
    if similarity == "l2":
        units = {"u": unit_vectors(u, "u"), "v": unit_vectors(v, "v")}
    retrieved = _described(units, rank, index, same)
    if similarity in NEIGHBOURS:
        chosen = torch.where(same, crowding.get("u", crowding["v"])[index], crowding["v"][index])
        score = pairs.scores(retrieved.cosine.clone(), chosen, pairs.around)
        # CSLS takes off r of the query too, which no rank hangs on.
        more = similarity == "csls"
        own = neighbourhood(pairs.exact["u"], pairs.exact["v"], pairs.k * more, should_stop=should_stop)
        retrieved = replace(retrieved, similarity=score - own, right_similarity=right - own)
    if similarity == "l2":
        chosen = torch.where(same[:, None], u[index], v[index]).double()
        distances = [torch.linalg.vector_norm(u.double() - each.double(), dim=1) for each in (chosen, v)]
        retrieved = replace(retrieved, similarity=-distances[0], right_similarity=-distances[1])
    return Retrieved(**{name: tensor.detach().cpu() for name, tensor in vars(retrieved).items()})


def _described(units: dict[Side, Tensor], rank: Tensor, index: Tensor, same: Tensor) -> Retrieved:
    """Return what was retrieved with cosines as similarities."""
    queries, answers = units["u"], units["v"]
    cosine = (queries * torch.where(same[:, None], queries[index], answers[index])).sum(1)
    right = (queries * answers).sum(1)
    return Retrieved(index, same, cosine, cosine, rank, right, right)


def _sides(task: Task) -> tuple[Side, ...]:
    match task:
        case "weak":
            return ("v",)
        case "strong" | "strong_self":
            return ("u",)
        case "strong_released":
            return ("v", "u")


def _ranks(
    pairs: Pairs, crowding: dict[Side, Tensor], sides: list[Side], right: Tensor, best: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Rank of the right candidate, row retrieved, and whether that is one of u: `[n]` each.

    `right` are the scores of the right candidates, `best` the best scores of all others.
    """
    queries, n, ties = pairs.exact["u"], len(right), tolerance(pairs, torch.float64, *crowding.values())
    rank = torch.ones_like(right, dtype=torch.int64)
    first = torch.full_like(rank, 2 * n)  # the first of the best others: its row, plus n for the second side
    lock = Lock()

    def work(block: slice, number: int) -> None:
        side = sides[number]
        scores = pairs.scores(pairs.exact[side][block] @ queries.mT, crowding[side][block, None], pairs.around)
        scores.diagonal(block.start).fill_(-torch.inf)
        before = (scores >= right - ties).sum(0)
        is_best, row = (scores >= best - ties).max(0)
        place = torch.where(is_best, row + block.start + number * n, 2 * n)
        with lock:
            rank.add_(before)
            torch.minimum(first, place, out=first)

    for number in range(len(sides)):
        for_blocks(partial(work, number=number), n, n, queries.device, pairs.should_stop)
    is_right = rank == 1
    same = ~is_right & ((first >= n) if len(sides) == 2 else torch.full_like(is_right, sides == ["u"]))
    return rank, torch.where(is_right, torch.arange(n, device=rank.device), first % n), same
