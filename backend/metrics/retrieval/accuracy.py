"""Weak and strong alignment: retrieval accuracy, whether a word or a sentence is nearest to its translation.

Rows i of `u` and `v`, `[n, dims]`, are translations; the query u_i is found when, for all j ≠ i,

    weak                                       s(u_i, v_i) > s(u_i, v_j)     (Eq. 1)
    strong: candidates of the same language    s(u_i, v_i) > s(u_i, u_j)     (Eq. 3)
    strong: candidates of both languages       both inequalities

s is CSLS, the margin ratio, the cosine, or less the Euclidean distance. The first two ask for a candidate u_j's nearest of u:
whether u_j itself is one of them (`self_neighbour`, as in the code that made the paper's table IV) or not, the paper does not
say.
A tie is not found, so equal vectors score 0; one pair gives nan.
Derivations: `docs/definitions.md`. Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic
Evaluation".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from isogloss.backend.metrics.cosines import unit_vectors
from isogloss.backend.metrics.retrieval.csls import check_neighbours, check_vectors
from isogloss.backend.metrics.retrieval.search import beats, prepare, scan

if TYPE_CHECKING:
    from isogloss.backend.metrics.blocks import ShouldStop
    from isogloss.backend.metrics.retrieval.options import Similarity


@dataclass(frozen=True)
class Accuracies:
    """The three accuracies of one direction, 0 to 1 (nan for one pair), and the number of pairs."""

    weak: float
    strong: float
    strong_released: float
    """Of candidates of both languages."""
    n: int


@dataclass(frozen=True, eq=False)
class Hits:
    """Which queries find their translation: bool `[n]`, a tie is not found."""

    weak: Tensor
    strong: Tensor

    @property
    def strong_released(self) -> Tensor:
        """Among candidates of both languages."""
        return self.weak & self.strong


@torch.no_grad()
def hits(
    u: Tensor,
    v: Tensor,
    k: int = 10,
    *,
    similarity: Similarity = "csls",
    self_neighbour: bool = False,
    should_stop: ShouldStop = None,
) -> Hits:
    """Return which queries are found, of two pairs at least. Arguments, memory and errors as for `accuracies`."""
    check_vectors(u, v)
    check_neighbours(k)
    if len(u) == 1:
        raise ValueError("One pair has no other candidate: at least two are needed to tell what is found.")
    pairs = prepare(u, v, k, should_stop, similarity=similarity, self_neighbour=self_neighbour)
    of_v, of_u = scan(pairs, "v"), scan(pairs, "u")
    return Hits(beats(pairs, "v", of_v, of_v.crowding), beats(pairs, "u", of_u, of_v.crowding))


@torch.no_grad()
def accuracies(
    u: Tensor,
    v: Tensor,
    k: int = 10,
    *,
    similarity: Similarity = "csls",
    self_neighbour: bool = False,
    should_stop: ShouldStop = None,
) -> Accuracies:
    """Weak and strong accuracy, with either pool, in little more time than the strong one alone.

    `u` and `v` are `[n, dims]` of any floating type, on the CPU or a CUDA device; vectors need not be normalised. `k` and
    `self_neighbour` matter with CSLS and the margin ratio alone. Similarities are compared as in float64: see `search`.

    Memory, beside the input: both sets in float64 and in float32, and one block of similarities, two for the margin ratio.
    `should_stop` is asked often, and `Stopped` is raised when it says yes.
    Raises ValueError for wrong shapes or types, for k < 1, and for a vector that is not finite.
    """
    if len(u) == 1:
        check_vectors(u, v)
        check_neighbours(k)
        unit_vectors(u, "u"), unit_vectors(v, "v")  # one vector that is not finite is an error too
        return Accuracies(torch.nan, torch.nan, torch.nan, 1)
    found = hits(u, v, k, similarity=similarity, self_neighbour=self_neighbour, should_stop=should_stop)
    return Accuracies(_share(found.weak), _share(found.strong), _share(found.strong_released), len(u))


@torch.no_grad()
def weak_accuracy(
    u: Tensor, v: Tensor, k: int = 10, *, similarity: Similarity = "csls", should_stop: ShouldStop = None
) -> float:
    """Return how often the translation is nearer than every other row of v. Arguments and errors as for `accuracies`."""
    check_vectors(u, v)
    check_neighbours(k)
    if len(u) == 1:
        return accuracies(u, v).weak
    pairs = prepare(u, v, k, should_stop, similarity=similarity)
    of_v = scan(pairs, "v")
    return _share(beats(pairs, "v", of_v, of_v.crowding))


def centre(vectors: Tensor) -> Tensor:
    """Return the vectors less their mean, `[n, dims]`: what all words of a language share is taken out.

    The mean is taken in float64, over the rows given; the result is float64 for float64, else float32.
    Source: Pires et al. 2019, "How Multilingual is Multilingual BERT?", section 5.
    """
    exact = vectors.detach().double()
    return (exact - exact.mean(0)).to(torch.float64 if vectors.dtype == torch.float64 else torch.float32)


def _share(found: Tensor) -> float:
    return int(found.sum()) / len(found)
