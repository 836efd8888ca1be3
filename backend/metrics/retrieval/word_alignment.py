"""Precision, recall and alignment error rate of links between the words of a sentence and those of its translation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Quality:
    """Predicted pairs of words against gold links: shares from 0 to 1, a share of nothing is nan."""

    precision: float
    """Pairs that gold links, surely or possibly, of all pairs; higher is better."""
    recall: float
    """Sure gold links that some pair has, of all sure ones; higher is better."""
    alignment_error_rate: float
    """Lower is better."""
    pairs: int
    """Predicted pairs."""
    sure_links: int
    """Sure gold links."""


def quality(sentences: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]]) -> Quality:
    """Precision, recall and alignment error rate of predicted links A against sure links S and possible ones P, S among them.

        precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|    error rate = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    Each sentence gives `[pairs, links]`, whether a predicted pair is a gold link, and `[links]`, whether that link is sure.
    Words may be segmented differently in pairs and links, so that several pairs are one link, or one pair several. A ∩ S are
    links in the recall; in the error rate pairs or links, whichever are fewer, so that it is never below 0.
    Source: Och & Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models", section 5.
    """
    pairs = right = surely_right = sure_links = recalled = 0
    for hits, sure in sentences:
        pairs, sure_links = pairs + len(hits), sure_links + int(sure.sum())
        right += int(hits.any(1).sum())
        surely_right += int(hits[:, sure].any(1).sum())
        recalled += int(hits[:, sure].any(0).sum())
    return Quality(
        precision=_ratio(right, pairs),
        recall=_ratio(recalled, sure_links),
        alignment_error_rate=1 - _ratio(min(surely_right, recalled) + right, pairs + sure_links),
        pairs=pairs,
        sure_links=sure_links,
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
