"""The share of variance between groups, and its p, against plain loops; and where there is none."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from isogloss.backend.metrics.between_groups import between_groups
from isogloss.backend.metrics.orders import orders


def by_hand(values: list[float], groups: list[str]) -> float:
    mean = sum(values) / len(values)
    between = 0.0
    for group in set(groups):
        own = [value for value, name in zip(values, groups, strict=True) if name == group]
        between += len(own) * (sum(own) / len(own) - mean) ** 2
    return between / sum((value - mean) ** 2 for value in values)


def p_by_hand(values: list[float], groups: list[str], every: list[tuple[int, ...]]) -> tuple[float, float]:
    observed = by_hand(values, groups)
    found = [by_hand([values[i] for i in order], groups) for order in every]
    return sum(each >= observed - 1e-9 for each in found) / len(found), sum(found) / len(found)


@pytest.mark.parametrize("seed", range(4))
def test_few_languages_are_compared_with_all_their_orders(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=6).tolist()
    groups = ["a", "a", "b", "b", "b", "c"]
    found = between_groups(values, groups)
    p, chance = p_by_hand(values, groups, list(itertools.permutations(range(6))))
    assert (found.n, found.groups, found.amount, found.exact) == (6, 3, 720, True)
    assert found.effect == pytest.approx(by_hand(values, groups))
    assert found.p == pytest.approx(p)
    assert found.chance == pytest.approx(chance)


def test_many_are_compared_with_random_orders() -> None:
    random = np.random.default_rng(5)
    groups = random.choice(list("abcd"), 30).tolist()
    values = (random.normal(size=30) + [0.8 * (name == "a") for name in groups]).tolist()
    found = between_groups(values, groups, amount=99)
    every = [tuple(order) for order in orders(30, 99, 0)[0].tolist()]
    p, chance = p_by_hand(values, groups, every)
    assert (found.amount, found.exact) == (100, False)
    assert found.effect == pytest.approx(by_hand(values, groups))
    assert (found.p, found.chance) == (pytest.approx(p), pytest.approx(chance))


def test_what_has_no_value_or_no_group_is_left_out() -> None:
    values, groups = [1.0, 2.0, 4.0, 5.0, 9.0], ["a", "a", "b", "b", "b"]
    more = between_groups([*values, np.nan, 7.0, np.inf], [*groups, "a", None, "b"])
    assert more == between_groups(values, groups)


def test_ties_count_as_reached_and_the_scale_does_not_matter() -> None:
    values, groups = [1.0, 1.0, 2.0, 2.0], ["a", "a", "b", "b"]
    found = between_groups(values, groups)
    assert (found.effect, found.p) == (pytest.approx(1.0), pytest.approx(8 / 24))
    assert between_groups([1e9 + value for value in values], groups).p == found.p
    assert between_groups([1e-9 * value for value in values], groups).effect == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([1.0, 2.0, 3.0], ["a", "b", "c"]),  # one language a group: every order has all its variance between them
        ([1.0, 2.0, 3.0], ["a", "a", "a"]),
        ([2.0, 2.0, 2.0, 2.0], ["a", "a", "b", "b"]),
        ([0.1 + 0.2, 0.3, 0.3, 0.3], ["a", "a", "b", "b"]),  # equal but for rounding
        ([np.nan, np.nan], ["a", "b"]),
        ([], []),
    ],
)
def test_it_is_not_defined_without_two_groups_one_of_two_languages_and_differing_values(
    values: list[float], groups: list[str]
) -> None:
    found = between_groups(values, groups)
    assert all(math.isnan(each) for each in (found.effect, found.chance, found.p))


def test_a_false_difference_is_found_as_rarely_as_p_says() -> None:
    random = np.random.default_rng(11)
    groups = ["a"] * 6 + ["b"] * 3 + ["c"] * 9 + ["d"]
    found = np.array([between_groups(random.exponential(size=19), groups, amount=199).p for _ in range(600)])
    assert 0.03 <= (found <= 0.05).mean() <= 0.075


def test_unequal_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="2 groups do not fit"):
        between_groups([1.0, 2.0, 3.0], ["a", "b"])
