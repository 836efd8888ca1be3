"""Paired intervals of two accuracies: held against the table of right and wrong, every label, and a truth that is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.metrics.transfer.paired import difference_of_accuracies, squares_at_most


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_two_models_of_two_classes_are_agresti_and_mins(right: list[tuple[bool, bool]]) -> None:
    """With half an example in each cell of the table (both right, one alone, the other alone, none)."""
    one, other = np.array(right, np.int64).T
    b, c, n = (sum(a and not d for a, d in right) + 0.5, sum(d and not a for a, d in right) + 0.5, len(right) + 2)
    half = 1.959963984540054 * math.sqrt((b + c) - (b - c) ** 2 / n) / n
    found = difference_of_accuracies((one - other).mean(), squares_at_most(one, other))
    assert found == pytest.approx((max((b - c) / n - half, -1), min((b - c) / n + half, 1)))


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 3), st.integers(2, 5))
def test_squares_are_the_most_that_any_label_gives(seed: int, seeds: int, others: int, classes: int) -> None:
    draw = np.random.default_rng(seed)
    one, other = draw.integers(classes, size=(seeds, 12)), draw.integers(classes, size=(others, 12))
    found = squares_at_most(one, other)
    for example in range(12):
        every = [
            (sum(said == label for said in one[:, example]) / seeds - sum(said == label for said in other[:, example]) / others)
            ** 2
            for label in range(classes)
        ]
        assert found[example] == pytest.approx(max(every))
        if classes == 2:
            assert every[0] == pytest.approx(every[1])


def test_models_that_never_differ_have_a_width_and_other_examples_are_refused() -> None:
    low, high = difference_of_accuracies(0.0, squares_at_most([0] * 20, [0] * 20))
    assert low == -high < 0
    with pytest.raises(ValueError, match="not of the same ones"):
        squares_at_most([0, 1], [0])


@pytest.mark.parametrize(("n", "both"), [(50, 0.6), (200, 0.9)])
def test_intervals_hold_the_truth(n: int, both: float) -> None:
    """Of models that share most of their errors, in at least 95% of 600 trials less four standard errors."""
    draw = np.random.default_rng(n)
    held = 0
    for _ in range(600):
        cells = draw.choice(4, n, p=[both, 0.08, 0.02, 0.9 - both])
        one, other = (cells < 2).astype(int), np.isin(cells, (0, 2)).astype(int)
        low, high = difference_of_accuracies((one - other).mean(), squares_at_most(one, other))
        held += low <= 0.06 <= high
    assert held / 600 > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 600)
