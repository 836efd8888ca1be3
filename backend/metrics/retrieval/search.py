"""Retrieval search: which queries are nearer to their translation than to every other candidate.

Blocks of some candidates against all queries give the candidates' neighbourhoods r(c) and then their scores, 2 cos(x, c) - r(c)
or cos(x, c) over the mean of r(x) and r(c). The Euclidean distance fits in: the nearest candidate has the greatest
2 x·c - ||c||². On the CPU blocks are float32; queries whose margin rounding can explain are settled in float64, so that the
outcome is that of float64 throughout. CUDA devices search in float64, and so is the margin ratio searched for everywhere.
Derivation: `docs/definitions.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from isogloss.backend.metrics.blocks import for_blocks
from isogloss.backend.metrics.cosines import tie_tolerance, unit_vectors
from isogloss.backend.metrics.retrieval.csls import mean_of_nearest, neighbourhood
from isogloss.backend.metrics.retrieval.options import NEIGHBOURS

if TYPE_CHECKING:
    from isogloss.backend.metrics.blocks import ShouldStop
    from isogloss.backend.metrics.retrieval.options import Similarity

Side = Literal["u", "v"]
LEAST = 2.0**-10
"""What the margin ratio divides by at least: where nothing is near, the quotient would grow beyond bounds, or turn its sign."""


@dataclass(frozen=True)
class Pairs:
    """Vectors of both sets, `[n, dims]`: `exact` in float64, `fast` in the type that is searched in.

    The rows of u are the queries, row i of v is the answer to query i. `k` neighbours, or 0 for plain cosine and for distances.
    Vectors have length 1; for distances, the longest has, and all are as long for one another as they were.
    """

    exact: dict[Side, Tensor]
    fast: dict[Side, Tensor]
    k: int
    should_stop: ShouldStop
    similarity: Similarity
    around: Tensor
    """r of every query in float64, `[n]`: its k nearest are of v. 0 where scores do without it."""
    self_neighbour: bool = False
    """A candidate of the queries' own set counts among its own k nearest."""

    def neighbours(self, side: Side) -> int:
        """Count the neighbours that there are of a candidate of one side, at most `k`."""
        return min(self.k, len(self.exact["u"]) - self.no_neighbour(side))

    def scores(self, cosines: Tensor, crowding: Tensor, around: Tensor) -> Tensor:
        """Return the scores of candidates, written over their `cosines` with queries; r of candidates and of queries broadcast.

        What is the same for all candidates of a query is left out: r of the query in CSLS, or its squared length.
        """
        if self.similarity == "margin":
            return cosines.div_(_divisor(crowding, around))
        return cosines.mul_(2).sub_(crowding)

    def no_neighbour(self, side: Side) -> bool:
        """Whether a candidate of this side is left out of its own neighbourhood."""
        return side == "u" and not self.self_neighbour


@dataclass(frozen=True)
class Scan:
    """What a scan of the candidates of one side gives, `[n]` each."""

    crowding: Tensor
    """r of every candidate; with distances its squared length."""
    best: Tensor
    """Every query's best score among the candidates other than row i."""


def prepare(
    u: Tensor,
    v: Tensor,
    k: int,
    should_stop: ShouldStop = None,
    *,
    similarity: Similarity = "csls",
    self_neighbour: bool = False,
) -> Pairs:
    """Return both sets made ready for the search; `k` counts with CSLS alone. ValueError for a vector that is not finite."""
    exact: dict[Side, Tensor] = {"u": unit_vectors(u, "u"), "v": unit_vectors(v, "v")}
    if similarity == "l2":
        exact = _of_length_one_at_most(u, v)
    around = exact["u"].new_zeros(len(u))
    if similarity == "margin":
        around = neighbourhood(exact["u"], exact["v"], k, should_stop=should_stop)
    # A quotient's rounding hangs on what it is divided by: the margin ratio is searched in float64.
    fast = exact
    if similarity != "margin":
        fast = {side: vectors.to(_fast_type(u.device)) for side, vectors in exact.items()}
    return Pairs(exact, fast, k if similarity in NEIGHBOURS else 0, should_stop, similarity, around, self_neighbour)


def _divisor(crowding: Tensor, around: Tensor) -> Tensor:
    """Return what the margin ratio divides cosines by: the mean of both vectors' r."""
    return (crowding + around).div_(2).clamp_min_(LEAST)


def _of_length_one_at_most(u: Tensor, v: Tensor) -> dict[Side, Tensor]:
    """Both in float64, divided by the length of the longest: rounding is then no more than that of unit vectors."""
    exact: dict[Side, Tensor] = {"u": u.detach().to(torch.float64, copy=True), "v": v.detach().to(torch.float64, copy=True)}
    longest = max(float(torch.linalg.vector_norm(each, dim=1).max()) for each in exact.values())
    return {side: each.div_(longest or 1.0) for side, each in exact.items()}


def scan(pairs: Pairs, side: Side) -> Scan:
    """Search all candidates of one side, in `fast`'s precision."""
    return search(pairs.fast["u"], pairs.fast[side], side, pairs)


def search(queries: Tensor, candidates: Tensor, side: Side, pairs: Pairs) -> Scan:
    """`scan` with the vectors given, in their precision."""
    n = len(queries)
    crowding, best = queries.new_zeros(n), queries.new_full((n,), -torch.inf)
    lock = Lock()

    def work(block: slice) -> None:
        products = candidates[block] @ queries.mT
        own = products.diagonal(block.start)
        if pairs.no_neighbour(side):
            own.fill_(-torch.inf)
        crowding[block] = _crowding(products, candidates[block], side, pairs)
        own.fill_(-torch.inf)
        best_here = pairs.scores(products, crowding[block, None], pairs.around).amax(0)
        with lock:
            torch.maximum(best, best_here, out=best)

    for_blocks(work, n, n, queries.device, pairs.should_stop)
    return Scan(crowding, best)


def _crowding(products: Tensor, candidates: Tensor, side: Side, pairs: Pairs) -> Tensor:
    """Return r of some candidates by their products with all queries; with distances their squared lengths."""
    return candidates.square().sum(1) if pairs.similarity == "l2" else mean_of_nearest(products, pairs.neighbours(side))


def beats(pairs: Pairs, side: Side, others: Scan, answers: Tensor) -> Tensor:
    """Return whether each answer scores above all candidates of `side` but row i: bool `[n]`.

    `others` is the scan of that side, `answers` r of every answer.
    """
    fast = pairs.fast
    margin = pairs.scores((fast["u"] * fast["v"]).sum(1), answers, pairs.around) - others.best
    slack = tolerance(pairs, margin.dtype, answers, others.crowding)
    found = margin > slack
    unsettled = (margin.abs() <= slack).nonzero().squeeze(1)
    if margin.dtype != torch.float64 and len(unsettled):
        found[unsettled] = _settle(pairs, unsettled, side, _rivals(pairs, unsettled, side, others, slack))
    return found


def tolerance(pairs: Pairs, precision: torch.dtype, *crowding: Tensor) -> Tensor:
    """Return how far apart two scores of a query can be by rounding alone, `[n]` or one for all: float64's counts as a tie.

    They differ by 2 (cos - cos') - (r - r'), and r, a mean of cosines, is no less exact than they are: three differences of
    two cosines. Squared lengths are no less exact either, as no vector is longer than 1. The margin ratio cos / m of a cosine
    of at most 1 changes by at most (1 + 1 / m) / m times what cos and m do; `crowding` says how small m is.
    """
    roundings = torch.finfo(precision).eps / torch.finfo(torch.float64).eps
    cosines = roundings * tie_tolerance(pairs.exact["u"].shape[1])
    if pairs.similarity != "margin":
        return pairs.around.new_tensor(3 * cosines)
    least = _divisor(torch.stack([each.min() for each in crowding]).amin(), pairs.around)
    return cosines * (1 + 1 / least) / least


def _rivals(pairs: Pairs, queries: Tensor, side: Side, others: Scan, slack: Tensor) -> Tensor:
    """Return the candidates (indices) that rounding does not exclude from being the best of one of the queries (indices)."""
    candidates = pairs.fast[side]
    near = torch.zeros(len(candidates), dtype=torch.bool, device=queries.device)

    def work(block: slice) -> None:
        some = queries[block]
        scores = pairs.scores(pairs.fast["u"][some] @ candidates.mT, others.crowding, pairs.around[some, None])
        scores.scatter_(1, some[:, None], -torch.inf)
        near[(scores >= others.best[some, None] - slack).any(0)] = True

    for_blocks(work, len(queries), len(candidates), queries.device, pairs.should_stop)
    return near.nonzero().squeeze(1)


def _settle(pairs: Pairs, queries: Tensor, side: Side, rivals: Tensor) -> Tensor:
    """`beats` in float64 for some queries (indices), whose best other candidates are among the rivals (indices).

    Without rivals no other candidate comes near the answers, so each of them wins.
    """
    if len(rivals) == 0:
        return torch.ones_like(queries, dtype=torch.bool)
    u, v = pairs.exact["u"], pairs.exact["v"]
    crowding = exact_crowding(pairs, rivals, side)
    answers = pairs.scores((u[queries] * v[queries]).sum(1), exact_crowding(pairs, queries, "v"), pairs.around[queries])
    best = torch.full_like(answers, -torch.inf)
    rival_vectors = pairs.exact[side][rivals]

    def work(block: slice) -> None:
        scores = pairs.scores(u[queries[block]] @ rival_vectors.mT, crowding, pairs.around[queries[block], None])
        best[block] = scores.masked_fill_(queries[block, None] == rivals, -torch.inf).amax(1)

    for_blocks(work, len(queries), len(rivals), queries.device, pairs.should_stop)
    return answers - best > tolerance(pairs, torch.float64, crowding)


def exact_crowding(pairs: Pairs, candidates: Tensor, side: Side) -> Tensor:
    """r, in float64, of some candidates (indices) of one side; with distances their squared lengths."""
    own = candidates if pairs.no_neighbour(side) else None
    points = pairs.exact[side][candidates]
    if pairs.similarity == "l2":
        return points.square().sum(1)
    return neighbourhood(points, pairs.exact["u"], pairs.k, own=own, should_stop=pairs.should_stop)


def _fast_type(device: torch.device) -> torch.dtype:
    """float32 where its products are true float32 products: on the CPU, unless the process allows it lower precision."""
    whole = torch.backends.mkldnn.matmul.fp32_precision in {"none", "ieee"}  # type: ignore[attr-defined]  # set at run time
    return torch.float32 if device.type == "cpu" and whole else torch.float64
