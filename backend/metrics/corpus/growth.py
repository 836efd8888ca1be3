"""Type–token curve: the number of different symbols among the first t tokens of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.corpus.codes import CHUNK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.metrics.corpus.codes import CodedCorpus


@dataclass(frozen=True, eq=False)
class TypeTokenCurve:
    """Points of the curve, exact; the last is the whole corpus. Empty without tokens."""

    tokens: NDArray[np.int64]
    """[points], rising"""
    types: NDArray[np.int64]
    """[points]"""


def type_token_curve(corpus: CodedCorpus, points: int = 200) -> TypeTokenCurve:
    """Return the curve in the order of the corpus, at about `points` sizes, half of them evenly spaced and half by ratio.

    So it can be drawn on plain and on logarithmic axes. Raises ValueError for fewer than two points.
    """
    if points < 2:
        raise ValueError(f"A curve has at least two points, not {points}.")
    if not corpus.tokens:
        return TypeTokenCurve(np.empty(0, np.int64), np.empty(0, np.int64))
    even = np.linspace(1, corpus.tokens, points // 2)
    ratio = np.geomspace(1, corpus.tokens, points - points // 2)
    sizes = np.unique(np.concatenate([even, ratio, [corpus.tokens]]).round().astype(np.int64))
    return TypeTokenCurve(sizes, np.searchsorted(np.sort(_first_places(corpus)), sizes, side="left").astype(np.int64))


def _first_places(corpus: CodedCorpus) -> NDArray[np.int64]:
    """Return where each symbol occurs first: [types]."""
    first = np.empty(corpus.types, np.int64)
    for at in reversed(range(0, corpus.tokens, CHUNK)):
        part = corpus.codes[at : at + CHUNK]
        # Of several values for one place numpy keeps the last: read backwards, that is the first occurrence.
        first[part[::-1]] = np.arange(at + len(part) - 1, at - 1, -1)
    return first
