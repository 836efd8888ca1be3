"""ABX discrimination of languages and of meanings, exact: every triplet of a parallel corpus is counted, none is sampled.

For the unit vectors `e[i, p]` of sentence p in language i and their cosine S, over all ordered pairs of sentences p ≠ q:

- language (i, j): X = e[i, p], A = e[i, q], B = e[j, q]; right when `S(X, A) > S(X, B)`. A and B mean the same, X and A share
  the language.
- meaning (i, j): X = e[i, p], A = e[j, p], B = e[j, q]; right when `S(X, A) > S(X, B)`. A and B share the language, X and A
  mean the same.

A tie counts one half. A pair's score is the mean of both directions; 0.5 is chance.
Source: de Seyssel et al. 2025, "Discriminating Form and Meaning in Multilingual Models with Minimal-Pair ABX Tasks".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from backend.metrics.abx.counting import Stopped, count_outcomes, pair_indices, unit_vectors
from backend.metrics.abx.jackknife import accuracy, standard_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from backend.metrics.abx.counting import Outcomes


__all__ = ["Discrimination", "Stopped", "check_shape", "discrimination"]


@dataclass(frozen=True)
class Discrimination:
    """Scores of every pair of languages: float64 tensors on the CPU, `[languages, languages]`, the diagonal nan.

    `language`, `meaning` and `retrieval` are means of both directions, hence symmetric. In the `_directed` ones row i, column
    j is the direction whose X comes from language i. The `_se` are standard errors by a delete-one jackknife over sentences;
    where every triplet comes out alike they are 0. A 95% interval is `backend.metrics.intervals.normal_interval(value, se)`.

    `retrieval` is top-1 accuracy: how often the nearest of all sentences of the other language is the translation. A
    translation that ties with another sentence is not found. None where the protocol does not give it.
    `sentences` is n, the number of parallel sentences.
    """

    language: Tensor
    meaning: Tensor
    language_se: Tensor
    meaning_se: Tensor
    language_directed: Tensor
    meaning_directed: Tensor
    language_directed_se: Tensor
    meaning_directed_se: Tensor
    retrieval: Tensor | None
    retrieval_directed: Tensor | None
    sentences: int


def discrimination(
    embeddings: Tensor,
    *,
    progress: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Discrimination:
    """Exact ABX scores of every pair of languages, and top-1 retrieval from the same similarities.

    `embeddings` is `[languages, sentences, dims]`, any floating type, on the CPU or a CUDA device; sentence p is the same one
    in every language. Vectors need not be normalised. A zero vector has similarity 0 with everything.

    Similarities are float64: of two cosines, the greater is the greater in exact arithmetic, whatever the device and
    the order of summation. Two that differ by no more than rounding can explain (`abx_counting.tie_tolerance`, 2.5e-14 for 768
    dims) are a tie; so equal vectors always tie.

    Memory, beside the input: the unit vectors in float64 and, of the similarities, a tile of rows of every pair in hand, never
    more than the block of one row language.

    `progress` is told the share done, 0 to 1; `should_stop` is asked often, and `Stopped` is raised when it says yes.
    With one language there are no pairs; with one sentence no triplets: nan. The jackknife needs three sentences.
    Raises ValueError for a wrong shape or type, and for a vector that is not finite.
    """
    check_shape(embeddings)
    outcomes = count_outcomes(unit_vectors(embeddings), progress=progress, should_stop=should_stop)
    return _scores(outcomes, languages=embeddings.shape[0], sentences=embeddings.shape[1])


def check_shape(embeddings: Tensor) -> None:
    """Raise ValueError unless this is a floating tensor `[languages, sentences, dims]` with nothing empty."""
    if embeddings.ndim != 3 or not embeddings.is_floating_point() or 0 in embeddings.shape:
        raise ValueError(
            "ABX needs a floating tensor [languages, sentences, dims] with at least one of each, "
            f"not {embeddings.dtype} {list(embeddings.shape)}."
        )


def _scores(outcomes: Outcomes, languages: int, sentences: int) -> Discrimination:
    """Scores and standard errors from the counts, all exact integers up to here."""
    first, second = pair_indices(languages)

    def square(forward: Tensor, backward: Tensor | None = None) -> Tensor:
        full = torch.full((languages, languages), torch.nan, dtype=torch.float64)
        full[first, second], full[second, first] = forward, forward if backward is None else backward
        return full

    language, meaning = outcomes.language, outcomes.meaning
    both_language, both_meaning = language.sum(0), meaning.sum(0)
    # One candidate is always the nearest: with one sentence retrieval says nothing.
    found = outcomes.found.double() / (sentences if sentences > 1 else torch.nan)
    return Discrimination(
        language=square(accuracy(both_language, directions=2)),
        meaning=square(accuracy(both_meaning, directions=2)),
        language_se=square(standard_error(both_language, directions=2)),
        meaning_se=square(standard_error(both_meaning, directions=2)),
        language_directed=square(*accuracy(language)),
        meaning_directed=square(*accuracy(meaning)),
        language_directed_se=square(*standard_error(language)),
        meaning_directed_se=square(*standard_error(meaning)),
        retrieval=square(found.mean(0)),
        retrieval_directed=square(*found),
        sentences=sentences,
    )
