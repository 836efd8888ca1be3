"""The accuracy of ranked transfer directions against pairs counted one by one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from isogloss.backend.metrics.transfer.igap import transfer_direction_accuracy
from tests.metrics.transfer.igap_by_hand import ranking_accuracy_by_hand

COUNTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6)), max_size=9)


@given(COUNTS, st.sampled_from([1, 3, 10, 2490]))
def test_pairs_counted_one_by_one(counts: list[tuple[int, int, int]], n: int) -> None:
    """The scores are gaps as floats: many are equal as counts and unequal in their last bits."""
    gold = [Fraction(first, n) for first, _, _ in counts]
    predicted = [Fraction(second - third, n) for _, second, third in counts]
    wanted = ranking_accuracy_by_hand(gold, predicted)
    found = transfer_direction_accuracy([a / n for a, _, _ in counts], [b / n - c / n for _, b, c in counts])
    assert math.isnan(found) if wanted is None else found == pytest.approx(float(wanted), abs=1e-15)


@given(st.permutations(range(14)), st.permutations(range(14)))
def test_without_ties_it_is_half_of_kendalls_tau_plus_one(gold: list[int], predicted: list[int]) -> None:
    found = transfer_direction_accuracy(gold, predicted)
    assert found == pytest.approx((stats.kendalltau(gold, predicted).statistic + 1) / 2)
    assert found * 91 == pytest.approx(round(found * 91))


def test_the_order_of_the_scores_counts_and_not_their_size() -> None:
    gold = np.array([0.9, 0.7, 0.8, 0.1])
    assert transfer_direction_accuracy(gold, gold * 100 - 3) == 1
    assert transfer_direction_accuracy(gold, -gold) == 0
    assert transfer_direction_accuracy([3, 2, 1], [3, 1, 2]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("gold", "predicted", "accuracy"),
    [
        ([1, 1, 2], [1, 2, 3], 2 / 3),
        ([1, 2, 3], [1, 1, 2], 2 / 3),
        ([1, 1, 2], [1, 1, 2], 2 / 3),  # tied in both is not concordant either
        ([1, 1], [1, 1], 0),
        ([1, 2], [5, 5], 0),
        ([2, 1], [0.3 - 0.1, 0.2], 0),
        ([0.3, 0.1 + 0.2], [1, 2], 0),
        ([1, 2], [0.2, 0.3 - 0.1], 0),
    ],
)
def test_a_tie_in_either_ranking_is_not_concordant(gold: list[float], predicted: list[float], accuracy: float) -> None:
    assert transfer_direction_accuracy(gold, predicted) == pytest.approx(accuracy, abs=0)
    assert transfer_direction_accuracy(predicted, gold) == pytest.approx(accuracy, abs=0)


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [([], []), ([1], [1]), ([1, math.nan], [1, 2]), ([1, 2], [math.nan, 2]), ([math.nan, 1], [1, math.nan])],
)
def test_fewer_than_two_directions_have_no_ranking(gold: list[float], predicted: list[float]) -> None:
    assert math.isnan(transfer_direction_accuracy(gold, predicted))


def test_directions_without_a_number_are_left_out_of_both() -> None:
    gold, predicted = [3, math.nan, 2, 1, 9], [3, 1, 1, 2, math.nan]
    assert (
        transfer_direction_accuracy(gold, predicted)
        == transfer_direction_accuracy([3, 2, 1], [3, 1, 2])
        == pytest.approx(2 / 3)
    )


def test_infinite_scores_have_a_place() -> None:
    assert transfer_direction_accuracy([1, 2, 3], [-math.inf, 0, math.inf]) == 1
    assert transfer_direction_accuracy([1, 2], [math.inf, math.inf]) == 0


@pytest.mark.parametrize(("gold", "predicted"), [([1, 2], [1, 2, 3]), ([[1, 2]], [[1, 2]]), ([1, 2], [1])])
def test_rankings_of_different_things_are_refused(gold: list[float], predicted: list[float]) -> None:
    with pytest.raises(ValueError, match="two arrays"):
        transfer_direction_accuracy(gold, predicted)
