"""ABX discrimination of languages and meanings, over every triplet of a parallel corpus.

For unit vectors `e[i, p]` of sentence p in language i, over p ≠ q, a triplet is right when `cos(X, A) > cos(X, B)`:

- language (i, j): X = e[i, p], A = e[i, q], B = e[j, q];
- meaning (i, j): X = e[i, p], A = e[j, p], B = e[j, q].

A tie is ½; both directions are averaged; chance is 0.5. See `docs/definitions.md`.
Source: de Seyssel et al. 2025, "Discriminating Form and Meaning in Multilingual Models with Minimal-Pair ABX Tasks".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from isogloss.backend.metrics import jackknife
from isogloss.backend.metrics.abx import held
from isogloss.backend.metrics.abx.comparing import signs
from isogloss.backend.metrics.abx.counting import count_outcomes, pair_indices
from isogloss.backend.metrics.cosines import tie_tolerance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isogloss.backend.metrics.abx.counting import Outcomes
    from isogloss.backend.metrics.abx.held import Held
    from isogloss.backend.metrics.blocks import ShouldStop

    Pairs = Iterable[tuple[int, int]] | None
    """Two different languages each, by position; None for all pairs."""


PAIRS_AT_ONCE = 1024
"""Pairs whose standard errors are computed at once."""


@dataclass(frozen=True)
class Discrimination:
    """ABX scores of pairs of languages: float64 `[languages, languages]` on the CPU, nan on the diagonal and for other pairs.

    `language`, `meaning` and `retrieval` are means of both directions. In the `_directed` ones row i, column j is the direction
    whose X comes from language i. The `_se` are delete-one jackknife standard errors over sentences: 0 where every triplet
    comes out alike. A 95% interval is `backend.metrics.intervals.jackknife_interval(value, se, sentences)`.
    `retrieval` is top-1 accuracy by cosine, a tie not found; `mutual` is the share found in both directions at once (MEXA:
    Kargaran et al. 2025, section 3), `mutual_each` which sentences these are, bool `[pairs, sentences]` in the order of
    `chosen_pairs`. None where the protocol does not give them.
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
    mutual: Tensor | None
    sentences: int
    mutual_each: Tensor | None = None


@dataclass(frozen=True)
class Sums:
    """What each sentence contributes: int64 `[pairs, sentences]` on the CPU, the pairs in the order of `chosen_pairs`.

    The outcomes (+1 right, 0 tie, -1 wrong) of the triplets that the sentence takes part in, summed over both directions: for
    `jackknife.leave_one_out`.
    """

    language: Tensor
    meaning: Tensor


def discrimination(
    embeddings: Tensor,
    *,
    pairs: Pairs = None,
    own: Tensor | None = None,
    should_stop: ShouldStop = None,
) -> Discrimination:
    """Exact ABX scores of the `pairs` of languages, every pair by default, and top-1 retrieval from the same similarities.

    `embeddings` is `[languages, sentences, dims]`, any floating type, on the CPU or a CUDA device; sentence p is the same one
    in every language. A zero vector has similarity 0 with everything. Similarities are float64; ties and memory:
    `docs/definitions.md`. `own` are each language's own cosines in float64, `[languages, sentences, sentences]`, where the
    caller has them.

    `Stopped` is raised when `should_stop` says yes. One language has no pairs; one sentence gives nan; the jackknife needs
    three. Raises ValueError for a wrong shape or type, a vector that is not finite, or a pair
    of one language or of one that is not there.
    """
    check_shape(embeddings)
    wanted = chosen_pairs(pairs, embeddings.shape[0])
    outcomes = count_outcomes(embeddings, pairs=wanted, own=own, should_stop=should_stop)
    return _scores(outcomes, languages=embeddings.shape[0], sentences=embeddings.shape[1])


def with_sums(embeddings: Tensor, *, pairs: Pairs = None, should_stop: ShouldStop = None) -> tuple[Discrimination, Sums]:
    """Return `discrimination` and, from the same counts, what each sentence contributes to it."""
    check_shape(embeddings)
    wanted = chosen_pairs(pairs, embeddings.shape[0])
    outcomes = count_outcomes(embeddings, pairs=wanted, should_stop=should_stop)
    found = _scores(outcomes, languages=embeddings.shape[0], sentences=embeddings.shape[1])
    by_i = outcomes.pairs[0].argsort(stable=True)
    return found, Sums(outcomes.language.sum(0)[by_i], outcomes.meaning.sum(0)[by_i])


def with_control(
    embeddings: Tensor,
    *,
    pairs: Pairs = None,
    seed: int = 0,
    should_stop: ShouldStop = None,
) -> tuple[Discrimination, Held]:
    """Return `discrimination` and, from the same products, the paper's control, drawn by `seed`."""
    check_shape(embeddings)
    languages, sentences, dims = embeddings.shape
    wanted = chosen_pairs(pairs, languages)
    counts = held.begin(languages, sentences, embeddings.device, seed)
    outcomes = count_outcomes(embeddings, pairs=wanted, held=counts, should_stop=should_stop)
    control = held.scores(counts, held.translations(embeddings), wanted, partial(signs, tolerance=tie_tolerance(dims)))
    return _scores(outcomes, languages=languages, sentences=sentences), control


def chosen_pairs(pairs: Pairs, languages: int) -> tuple[Tensor, Tensor]:
    """Return the pairs i < j, each once, in the order of `pair_indices`, as two index tensors; all where None.

    Raises ValueError for a pair of one language, or of one that is not among the `languages`.
    """
    if pairs is None:
        return pair_indices(languages)
    found = sorted({(min(pair), max(pair)) for pair in pairs})
    if wrong := [pair for pair in found if not 0 <= pair[0] < pair[1] < languages]:
        raise ValueError(f"{wrong[0]} is no pair of two different languages among {languages}.")
    first, second = torch.tensor(found, dtype=torch.int64).reshape(-1, 2).unbind(1)
    return first, second


def check_shape(embeddings: Tensor) -> None:
    """Raise ValueError unless this is a floating tensor `[languages, sentences, dims]` with nothing empty."""
    if embeddings.ndim != 3 or not embeddings.is_floating_point() or 0 in embeddings.shape:
        raise ValueError(
            "ABX needs a floating tensor [languages, sentences, dims] with at least one of each, "
            f"not {embeddings.dtype} {list(embeddings.shape)}."
        )


def _scores(outcomes: Outcomes, languages: int, sentences: int) -> Discrimination:
    """Scores and standard errors from the counts, all exact integers up to here."""
    first, second = outcomes.pairs

    def square(forward: Tensor, backward: Tensor | None = None) -> Tensor:
        full = torch.full((languages, languages), torch.nan, dtype=torch.float64)
        full[first, second], full[second, first] = forward, forward if backward is None else backward
        return full

    language, meaning = _shares(outcomes.language), _shares(outcomes.meaning)
    # One candidate is always the nearest: with one sentence retrieval says nothing.
    several = sentences if sentences > 1 else torch.nan
    scores = outcomes.found.double() / several
    each = torch.empty_like(outcomes.mutual)
    each[first.argsort(stable=True).argsort()] = outcomes.mutual
    return Discrimination(
        language=square(language.both),
        meaning=square(meaning.both),
        language_se=square(language.both_se),
        meaning_se=square(meaning.both_se),
        language_directed=square(*language.directed),
        meaning_directed=square(*meaning.directed),
        language_directed_se=square(*language.directed_se),
        meaning_directed_se=square(*meaning.directed_se),
        retrieval=square(scores.mean(0)),
        retrieval_directed=square(*scores),
        mutual=square(outcomes.mutual.sum(-1).double() / several),
        sentences=sentences,
        mutual_each=each,
    )


class _Shares(NamedTuple):
    """Shares of right triplets and their standard errors: `[pairs]` over both directions, `[directions, pairs]` of each."""

    both: Tensor
    both_se: Tensor
    directed: Tensor
    directed_se: Tensor


def _shares(involved: Tensor) -> _Shares:
    """Return the shares of `[directions, pairs, sentences]`, some pairs at a time: their delete-one values are as many."""
    found = []
    for some in torch.split(involved, PAIRS_AT_ONCE, dim=1):
        both = some.sum(0)
        found.append((accuracy(both, 2), standard_error(both, 2), accuracy(some), standard_error(some)))
    return _Shares(*(torch.cat(each, -1) for each in zip(*found, strict=True)))


def accuracy(involved: Tensor, directions: int = 1) -> Tensor:
    """Return the share of right triplets, ties one half.

    `involved` is of whole numbers, `[…, sentences]`: for each sentence the sum of the outcomes (+1 right, 0 tie, -1 wrong) of
    the triplets it takes part in, over one direction of a pair or summed over two (`directions`). Returns float64 `[…]`, nan
    for one sentence.
    """
    n = involved.shape[-1]
    triplets = directions * n * (n - 1)
    # Each triplet is counted with its p and with its q. right + ties / 2 = (triplets + right - wrong) / 2, exact up to the
    # division.
    twice_right = triplets + involved.sum(-1) // 2
    return twice_right.double() / (2 * triplets) if triplets else torch.full(twice_right.shape, torch.nan, dtype=torch.float64)


def leave_one_out(involved: Tensor, directions: int = 1) -> Tensor:
    """Delete-one accuracies, without each sentence: float64 `[…, sentences]` (`backend.metrics.jackknife`)."""
    return torch.from_numpy(jackknife.leave_one_out(involved.numpy(), directions))


def standard_error(involved: Tensor, directions: int = 1) -> Tensor:
    """Return the jackknife standard error of `accuracy` over sentences: float64 `[…]`, nan for fewer than three sentences."""
    return torch.from_numpy(np.asarray(jackknife.standard_error(leave_one_out(involved, directions))))
