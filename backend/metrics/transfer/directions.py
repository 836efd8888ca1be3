"""Transfer-direction-ranking (TDR) accuracy: how well a score ranks transfer directions, by a gold ranking of the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.transfer.windows import TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def transfer_direction_accuracy(gold: ArrayLike, predicted: ArrayLike) -> float:
    """TDR accuracy (transfer-direction ranking): the share of pairs of directions that both scores rank alike, 0 to 1.

    `gold` and `predicted` are `[n]`: one score for each language at the other end of a fixed one. Higher must be better
    transfer in both: turn the sign of distances, gaps and errors. A pair counts where `(gold_i - gold_j) (predicted_i -
    predicted_j) > 0`; a tie (closer than 1e-12) in either does not. nan leaves the direction out; fewer than two left are nan.
    Raises ValueError unless both are `[n]`.
    Source: Chi, Huang & Mao 2023, Eq. 6; details in `docs/definitions.md`.
    """
    first, second = np.asarray(gold, np.float64), np.asarray(predicted, np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"Rankings need two arrays [n] of scores, not {list(first.shape)} and {list(second.shape)}.")
    known = ~(np.isnan(first) | np.isnan(second))
    first, second = first[known], second[known]
    pairs = len(first) * (len(first) - 1) // 2
    if not pairs:
        return math.nan
    above = (first[:, None] > first + TOLERANCE) & (second[:, None] > second + TOLERANCE)
    return int(above.sum()) / pairs
