"""Retrieval accuracy: is a word, or a sentence, nearest to its translation?

`u` and `v` are `[n, dims]`, row i of both a pair of translations. The queries are the rows of u; for the other direction swap
the arguments. With a similarity s, u_i is retrieved rightly when

    weak                  s(u_i, v_i) > s(u_i, v_j)  for all j ≠ i     (Eq. 1): nearer than every other word of v's language
    strong, "paper"       s(u_i, v_i) > s(u_i, u_j)  for all j ≠ i     (Eq. 3): nearer than every other word of u's language
    strong, "released"    both of these: the authors' code pools both sets of candidates

Strictly: a translation that ties with another candidate is not found, so a model whose vectors are all equal scores 0.

s is CSLS or plain cosine. Of CSLS(x, c) = 2 cos(x, c) - r(x) - r(c), x being the query and c a candidate:

- r(c) is the mean cosine of c to its k nearest *queries*, the set "other" than that of the candidates: for a candidate v_j, to
  its k nearest rows of u, for a candidate u_j, to its k nearest rows of u but itself. (Without that "but" every u_j would count
  its cosine of 1 with itself as a neighbourhood, be held for a hub and lose to v_i, for no reason of meaning. The
  released code does count it.)
- r(x) is the same for all candidates of a query, r_V(u_i), whichever language they are of, and so decides nothing. The literal
  alternative, r_V(u_i) beside v_i but r_U(u_i) beside u_j, would subtract from each language's candidates how near that
  language is to the query as a whole: just the gap between languages that strong alignment is there to notice.

Where fewer than k queries are there to be neighbours (n of them for v_j, n - 1 for u_j), all are taken.
With one pair there is nothing to confuse it with: nan.
A zero vector has cosine 0 with everything.

Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation". The pool of both sets,
self excluded, is in the first version of the released code, with cosine alone; with CSLS it is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from backend.metrics.abx.counting import Stopped
from backend.metrics.retrieval.csls import Similarity, check_neighbours, check_vectors, unit_vectors
from backend.metrics.retrieval.search import beats, paired, scan

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Accuracies", "Similarity", "Stopped", "accuracies", "centred", "weak_accuracy"]


@dataclass(frozen=True)
class Accuracies:
    """The three accuracies of one direction, 0 to 1 (nan for one pair), and the number of pairs."""

    weak: float
    strong: float
    strong_released: float
    n: int


@torch.no_grad()
def accuracies(
    u: Tensor,
    v: Tensor,
    k: int = 10,
    *,
    similarity: Similarity = "csls",
    should_stop: Callable[[], bool] | None = None,
) -> Accuracies:
    """Weak and strong accuracy, with either pool, in little more time than the strong one alone.

    `u` and `v` are `[n, dims]` of any floating type, on the CPU or a CUDA device; vectors need not be normalised. `k` is
    ignored with `similarity="cosine"`. Similarities are compared as in float64, exactly: see `retrieval_search`.

    Memory, beside the input: both sets in float64 and in float32, and one block of similarities.
    `should_stop` is asked often, and `Stopped` is raised when it says yes.
    Raises ValueError for wrong shapes or types, for k < 1, and for a vector that is not finite.
    """
    check_vectors(u, v, paired=True)
    check_neighbours(k)
    n = len(u)
    if n == 1:
        unit_vectors(u, "u"), unit_vectors(v, "v")  # one vector that is not finite is an error too
        return Accuracies(torch.nan, torch.nan, torch.nan, n)
    pairs = paired(u, v, k if similarity == "csls" else 0, should_stop)
    of_v, of_u = scan(pairs, "v"), scan(pairs, "u")
    weak, strong = beats(pairs, "v", of_v, of_v.crowding), beats(pairs, "u", of_u, of_v.crowding)
    return Accuracies(_share(weak), _share(strong), _share(weak & strong), n)


@torch.no_grad()
def weak_accuracy(
    u: Tensor,
    v: Tensor,
    k: int = 10,
    *,
    similarity: Similarity = "csls",
    should_stop: Callable[[], bool] | None = None,
) -> float:
    """How often the translation is nearer than every other row of v. Arguments and errors as for `accuracies`."""
    check_vectors(u, v, paired=True)
    check_neighbours(k)
    if len(u) == 1:
        return accuracies(u, v).weak
    pairs = paired(u, v, k if similarity == "csls" else 0, should_stop)
    of_v = scan(pairs, "v")
    return _share(beats(pairs, "v", of_v, of_v.crowding))


def centred(vectors: Tensor) -> Tensor:
    """The vectors less their mean, `[n, dims]`: what all words of a language share is taken out.

    The mean is taken in float64, over the rows given; the result is float64 for float64, else float32.
    Source: Pires et al. 2019, "How Multilingual is Multilingual BERT?", section 5.
    """
    exact = vectors.detach().double()
    return (exact - exact.mean(0)).to(torch.float64 if vectors.dtype == torch.float64 else torch.float32)


def _share(found: Tensor) -> float:
    return int(found.sum()) / len(found)
