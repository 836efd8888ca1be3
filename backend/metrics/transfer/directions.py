"""How well a score of transferability ranks transfer directions, by a gold ranking of the same directions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from backend.metrics.transfer.windows import TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def transfer_direction_accuracy(gold: ArrayLike, predicted: ArrayLike) -> float:
    """The share of pairs of directions that both scores rank alike, 0 to 1.

        accuracy = |{(i, j), i < j: (gold_i - gold_j) (predicted_i - predicted_j) > 0}| / (n (n - 1) / 2)

    `gold` and `predicted` are `[n]`: one score for each language at the other end of a fixed one (for 15 languages n = 14, 91
    pairs). Higher is better transfer in both: turn the sign of distances, gaps and errors. The fixed language itself is none.

    A tie in either is not concordant but counts below the line, so scores all alike have accuracy 0. Scores closer than 1e-12
    are a tie, since gaps that are equal as counts, 0.3 - 0.1 and 0.2 - 0, differ as floats.
    A direction with nan in either (no model in the window, the diagonal of a matrix) is left out; fewer than two left are nan.
    To compare several scores give all of them the same directions. Raises ValueError unless both are `[n]`.
    Source: Chi, Huang & Mao 2023, Eq. 6.
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
