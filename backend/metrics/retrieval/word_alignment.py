"""Word alignment: links between the words of a sentence and those of its translation, and how good they are. No torch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Quality:
    """Of predicted links, all from 0 to 1: precision and recall (higher is better), alignment error rate (lower is better)."""

    precision: float
    recall: float
    alignment_error_rate: float


def mutual_argmax(similarity: ArrayLike) -> list[tuple[int, int]]:
    """Links (i, j), in ascending order, where j is the most similar to i of its row and i the most similar to j of its column.

    `similarity` is `[m, n]`: of m words with n words, or a CPU tensor. Of equally similar words the first counts, in rows and
    in columns, as numpy's argmax and the released code have it. No word is in two links; an empty matrix has none.
    Raises ValueError for a matrix that is not two-dimensional, or has nan.
    Source: Jalili Sabet et al. 2020, "SimAlign", section 3.1 (Argmax).
    """
    matrix = np.asarray(similarity, np.float64)
    if matrix.ndim != 2 or bool(np.isnan(matrix).any()):
        raise ValueError(f"Links need a matrix [m, n] of similarities without nan, not {list(matrix.shape)}.")
    if 0 in matrix.shape:
        return []
    best_of_rows, best_of_columns = matrix.argmax(1), matrix.argmax(0)
    return [(i, int(j)) for i, j in enumerate(best_of_rows) if best_of_columns[j] == i]


def quality(predicted: Iterable[Hashable], sure: Iterable[Hashable], possible: Iterable[Hashable]) -> Quality:
    """Precision, recall and alignment error rate of predicted links against gold ones.

    With A the predicted links, S the sure and P the possible ones, sure links being possible too, listed or not:

        precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|    error rate = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    A link is (i, j), or (sentence, i, j) for the quality over a corpus, which counts links and not sentences alike. Links
    listed twice count once. What would divide by 0 is nan.
    Source: Och & Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models", section 5.
    """
    links, certain = set(predicted), set(sure)
    in_possible, in_sure = len(links & (certain | set(possible))), len(links & certain)
    return Quality(
        precision=_ratio(in_possible, len(links)),
        recall=_ratio(in_sure, len(certain)),
        alignment_error_rate=1 - _ratio(in_sure + in_possible, len(links) + len(certain)),
    )


def precision(predicted: Iterable[Hashable], sure: Iterable[Hashable], possible: Iterable[Hashable]) -> float:
    """The share of predicted links that are sure or possible, see `quality`; nan where nothing is predicted."""
    return quality(predicted, sure, possible).precision


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
