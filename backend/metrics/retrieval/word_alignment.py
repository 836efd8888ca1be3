"""Precision, recall and alignment error rate of links between the words of a sentence and those of its translation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


@dataclass(frozen=True)
class Quality:
    """Of predicted links, all from 0 to 1: precision and recall (higher is better), alignment error rate (lower is better)."""

    precision: float
    recall: float
    alignment_error_rate: float


def quality(predicted: Iterable[Hashable], sure: Iterable[Hashable], possible: Iterable[Hashable]) -> Quality:
    """Precision, recall and alignment error rate of predicted links A against sure links S and possible ones P.

        precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|    error rate = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    Sure links are possible too, listed or not. A link is (i, j), or (sentence, i, j) over a corpus, where links count alike.
    Links listed twice count once. What would divide by 0 is nan.
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
    """Return the share of predicted links that are sure or possible, see `quality`; nan where nothing is predicted."""
    return quality(predicted, sure, possible).precision


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
