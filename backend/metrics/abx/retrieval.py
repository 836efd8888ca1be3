"""Top-1 retrieval of translations by mean-pooled sentence vectors, which the ABX paper sets against meaning discrimination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from backend.metrics.abx.exact import discrimination
from backend.metrics.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Retrieval:
    """Accuracies of every pair of languages, float64 `[languages, languages]` on the CPU, the diagonal nan, with Wilson's 95%
    intervals.

    Row i, column j of the directed ones: the query is in language i, the candidates in language j. `symmetric` is the mean of
    both directions; its interval takes the sentences as the trials, since both directions ask about the same ones.
    """

    directed: Tensor
    directed_low: Tensor
    directed_high: Tensor
    symmetric: Tensor
    symmetric_low: Tensor
    symmetric_high: Tensor
    sentences: int


def retrieval_top1(
    embeddings: Tensor,
    *,
    progress: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Retrieval:
    """How often the nearest sentence by cosine, of all those of the other language, is the translation.

    `embeddings` is `[languages, sentences, dims]`, as for `discrimination`, which computes the same numbers in the same pass:
    where both are wanted, take `Discrimination.retrieval`. A translation that ties with another sentence is not found. Raises
    as `discrimination` does.
    """
    scores = discrimination(embeddings, progress=progress, should_stop=should_stop)
    directed, symmetric = scores.retrieval_directed, scores.retrieval
    assert directed is not None  # exact scores always bring it
    assert symmetric is not None
    directed_low, directed_high = map(torch.from_numpy, wilson_interval(directed.numpy(), scores.sentences))
    symmetric_low, symmetric_high = map(torch.from_numpy, wilson_interval(symmetric.numpy(), scores.sentences))
    return Retrieval(directed, directed_low, directed_high, symmetric, symmetric_low, symmetric_high, scores.sentences)
