"""Groups by average linkage against loops over all pairs of groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.clusters import clusters


def by_loops(distances: list[list[float]], most: int) -> set[frozenset[int]]:
    """Join the two groups whose pairs are nearest on average until one is left; keep the first state of at most `most`.

    A state counts only where the next joining is at a greater height: what is joined at one height is not parted.
    """
    groups = [frozenset([each]) for each in range(len(distances))]
    states, heights = [set(groups)], [-np.inf]
    while len(groups) > 1:
        means = {
            (one, other): sum(distances[a][b] for a in one for b in other) / (len(one) * len(other))
            for place, one in enumerate(groups)
            for other in groups[place + 1 :]
        }
        one, other = min(means, key=lambda pair: means[pair])
        heights.append(means[one, other])
        groups = [each for each in groups if each not in (one, other)] + [one | other]
        states.append(set(groups))
    for number, state in enumerate(states):
        last = number + 1 == len(states) or heights[number + 1] > heights[number] + 1e-12
        if len(state) <= most and last:
            return state
    raise AssertionError("one group is always left")


def partition(groups: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(groups == number).tolist()) for number in set(groups.tolist()) - {0}}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("most", [1, 2, 3, 5, 30])
def test_groups_are_those_of_the_loops(seed: int, most: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 14))
    distances = random.normal(0, 1, (size, size))
    distances = distances + distances.T
    assert partition(clusters(distances, most)) == by_loops(distances.tolist(), most)


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 9), st.integers(1, 6), st.integers(0, 10_000))
def test_a_constant_more_changes_nothing_and_no_group_is_parted_at_one_height(size: int, most: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    distances = random.integers(0, 3, (size, size)).astype(float)
    distances = distances + distances.T
    found = clusters(distances, most)
    assert found.tolist() == clusters(distances + 7.0, most).tolist()
    assert found.max() <= most
    sizes = np.bincount(found)[1:]
    assert sizes.sum() == size
    assert (np.diff(sizes) <= 0).all()  # the largest is the first


def test_equal_distances_are_one_group_and_ties_of_size_stand_in_their_order() -> None:
    assert clusters(np.ones((5, 5)), 3).tolist() == [1] * 5
    pairs = np.full((4, 4), 9.0)
    pairs[0, 3] = pairs[3, 0] = pairs[1, 2] = pairs[2, 1] = 1.0
    assert clusters(pairs, 2).tolist() == [1, 2, 2, 1]


def test_what_is_not_known_counts_as_furthest_and_what_has_no_distance_is_in_no_group() -> None:
    distances = np.array([[0, 1, np.nan, np.nan], [1, 0, 2, np.nan], [np.nan, 2, 0, np.nan], [np.nan] * 4])
    assert clusters(distances, 2).tolist() == [1, 1, 2, 0]
    assert clusters(np.full((3, 3), np.nan), 2).tolist() == [0, 0, 0]
    assert clusters(np.zeros((1, 1)), 2).tolist() == [0]
    assert clusters(np.zeros((0, 0)), 2).tolist() == []


def test_what_is_no_matrix_of_distances_is_refused() -> None:
    with pytest.raises(ValueError, match="symmetric"):
        clusters([[0, 1], [2, 0]], 2)
    with pytest.raises(ValueError, match="at least one group"):
        clusters([[0, 1], [1, 0]], 0)
