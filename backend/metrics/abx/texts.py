"""Controls of ABX that no model makes: its scores where a sentence's 'vector' is its length, or a bag of its bytes.

The triplets are those of `exact`: language X = (i, p), A = (i, q), B = (j, q); meaning X = (i, p), A = (j, p), B = (j, q),
p ≠ q. Of lengths a triplet is right where |X − A| < |X − B|, of bags where cos(X, A) > cos(X, B). A tie is ½; both directions
are averaged. Definitions: `docs/definitions.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.metrics.abx import exact
from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.intervals import IntervalEstimate, jackknife_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.metrics.blocks import ShouldStop
    from isogloss.backend.metrics.intervals import IntervalEstimates

    Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Control:
    """Both scores of pairs of languages, `[pairs]` in the order asked for, with 95% intervals over sentences."""

    language: IntervalEstimates
    meaning: IntervalEstimates


def of_lengths(
    lengths: ArrayLike, *, pairs: Sequence[tuple[int, int]] | None = None, should_stop: ShouldStop = None
) -> Control:
    """Return ABX scores of lengths alone: exact, without looking at any triplet, in n log n a pair.

    `lengths` are whole numbers `[languages, sentences]` below 2⁶⁰; `pairs` are two places of different languages each, every
    pair by default. One sentence gives nan, fewer than three have no interval. Raises ValueError for another shape or type,
    and `Stopped` when `should_stop` says yes.
    """
    values = np.asarray(lengths)
    if values.ndim != 2 or values.dtype.kind not in "iu" or 0 in values.shape:
        raise ValueError(f"Lengths are whole numbers [languages, sentences], not {values.dtype} {list(values.shape)}.")
    whole = values.astype(np.int64)
    wanted = list(combinations(range(len(whole)), 2)) if pairs is None else list(pairs)
    language, meaning = np.zeros((2, len(wanted), whole.shape[1]), np.int64)
    for place, (i, j) in enumerate(wanted):
        if should_stop is not None and should_stop():
            raise Stopped
        language[place] = _language(whole[i], whole[j]) + _language(whole[j], whole[i])
        meaning[place] = _meaning(whole[i], whole[j]) + _meaning(whole[j], whole[i])
    return Control(*(_estimates(torch.from_numpy(each)) for each in (language, meaning)))


def of_bags(counts: ArrayLike, *, pairs: Sequence[tuple[int, int]] | None = None, should_stop: ShouldStop = None) -> Control:
    """Return ABX scores of bags by their cosine; `counts` are `[languages, sentences, kinds]`, from `byte_counts`.

    An empty bag has cosine 0 with everything. Raises as `exact.discrimination`.
    """
    bags = torch.from_numpy(np.asarray(counts, np.float32))
    found = exact.discrimination(bags, pairs=pairs, should_stop=should_stop)
    wanted = np.array(list(combinations(range(len(bags)), 2)) if pairs is None else list(pairs)).reshape(-1, 2).T
    scores = (found.language, found.language_se), (found.meaning, found.meaning_se)
    numbers = [[each.numpy()[wanted[0], wanted[1]] for each in both] for both in scores]
    return Control(*(_interval(value, error, found.sentences) for value, error in numbers))


def byte_counts(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return how often each byte stands in the UTF-8 of each text: `[texts, 256]`. Lone surrogates are written as they are."""
    found = np.zeros((len(texts), 256), np.float32)
    for row, text in enumerate(texts):
        found[row] = np.bincount(np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8), minlength=256)
    return found


def _estimates(involved: torch.Tensor) -> IntervalEstimates:
    """Return the scores of both directions together, from the outcomes that each sentence takes part in, `[pairs, n]`."""
    value, error = (of(involved, directions=2).numpy() for of in (exact.accuracy, exact.standard_error))
    return _interval(value, error, involved.shape[-1])


def _interval(value: NDArray[np.float64], error: NDArray[np.float64], n: int) -> IntervalEstimates:
    return IntervalEstimate(value, *jackknife_interval(value, error, n))


def _language(a: Integers, b: Integers) -> Integers:
    """Return for each sentence the outcomes (+1 right, −1 wrong) of the triplets X = aₚ, A = a_q, B = b_q that it is in.

    X is nearer to A where it lies on A's side of the middle of both: the outcome is sgn(b_q − a_q) · sgn(a_q + b_q − 2aₚ), a
    sum over q of signs that a look into the sorted middles gives, and one over p by a look into the sorted lengths.
    """
    middles, sides = a + b, np.sign(b - a)
    order = np.argsort(middles)
    below = np.concatenate([[0], np.cumsum(sides[order])])
    first, last = (np.searchsorted(middles[order], 2 * a, end) for end in ("left", "right"))
    as_p = below[-1] - below[last] - below[first]
    sorted_a = np.sort(2 * a)
    as_q = sides * sum(np.searchsorted(sorted_a, middles, end) for end in ("left", "right")) - sides * len(a)
    found: Integers = as_p + as_q - 2 * (a != b)  # p = q is no triplet: each side counted it as right where they differ
    return found


def _meaning(a: Integers, b: Integers) -> Integers:
    """Return the same of the triplets X = aₚ, A = bₚ, B = b_q: right where b_q lies outside of aₚ ± |aₚ − bₚ|, wrong inside.

    p = q lies on the edge: it counts nothing.
    """
    away = np.abs(a - b)
    low, high = a - away, a + away

    def outcomes(below: NDArray[np.intp], above: NDArray[np.intp], inside: NDArray[np.intp]) -> Integers:
        found: Integers = below + above - np.maximum(inside, 0)
        return found

    ends = {name: np.sort(each) for name, each in (("b", b), ("low", low), ("high", high), ("same", a[away == 0]))}

    def less(among: str, than: Integers, *, or_equal: bool = False) -> NDArray[np.intp]:
        return np.searchsorted(ends[among], than, "right" if or_equal else "left")

    n = len(a)
    as_p = outcomes(less("b", low), n - less("b", high, or_equal=True), less("b", high) - less("b", low, or_equal=True))
    on_point = less("same", b, or_equal=True) - less("same", b)  # where low and high are one, nothing is between them
    as_q = outcomes(
        n - less("low", b, or_equal=True), less("high", b), less("low", b) - less("high", b, or_equal=True) + on_point
    )
    return as_p + as_q
