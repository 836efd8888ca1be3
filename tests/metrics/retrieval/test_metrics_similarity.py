"""Cosines of pairs, random partners, histograms, overlap, and the mean over runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from isogloss.backend.metrics.intervals import mean_of_runs
from isogloss.backend.metrics.retrieval.distributions import bin_edges, histogram, overlap
from isogloss.backend.metrics.retrieval.similarity import (
    pair_cosines,
    pair_distances,
    pair_products,
    random_partners,
    random_partners_within,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = st.lists(st.integers(-5, 5), min_size=1, max_size=20)


def test_cosines_of_pairs() -> None:
    u = torch.tensor([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0], [2.0, 0.0]]).half()
    v = torch.tensor([[6.0, 8.0], [0.0, 5.0], [1.0, 1.0], [-1.0, 0.0]])
    assert pair_cosines(u, v).tolist() == pytest.approx([1, 0, 0, -1])
    assert pair_cosines(v, v).max() <= 1
    with pytest.raises(ValueError, match="Vector 1 of u"):
        pair_cosines(torch.tensor([[1.0], [float("nan")]]), torch.ones(2, 1))


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 99), st.sampled_from([1e-3, 1.0, 3e4]))
def test_distances_and_products_of_pairs_are_those_of_plain_loops(n: int, dims: int, seed: int, size: float) -> None:
    draw = np.random.default_rng(seed)
    u, v = (draw.normal(size=(n, dims)) * size for _ in range(2))
    distances = [math.sqrt(sum((u[i, d] - v[i, d]) ** 2 for d in range(dims))) for i in range(n)]
    products = [sum(u[i, d] * v[i, d] for d in range(dims)) for i in range(n)]
    assert pair_distances(torch.from_numpy(u), torch.from_numpy(v)).tolist() == pytest.approx(distances, rel=1e-12)
    assert pair_products(torch.from_numpy(u), torch.from_numpy(v)).tolist() == pytest.approx(products, rel=1e-9)


def test_distances_and_products_are_taken_in_float64() -> None:
    u, v = torch.full((1, 2), 60_000.0).half(), torch.tensor([[60_000.0, -59_968.0]]).half()
    assert pair_distances(u, v).tolist() == [119_968.0]  # beyond float16
    assert pair_products(u, v).tolist() == [60_000.0 * 32]
    one = torch.tensor([[1.0, 1.0, 1.0]])
    assert pair_products(one, torch.tensor([[2.0**24, 1.0, -(2.0**24)]])).tolist() == [1.0]  # float32 would lose the 1
    assert pair_distances(one, one).tolist() == [0.0]


@pytest.mark.parametrize("of_pairs", [pair_distances, pair_products])
def test_distances_and_products_refuse_what_has_none(of_pairs: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    with pytest.raises(ValueError, match="Vector 1 of v"):
        of_pairs(torch.ones(2, 1), torch.tensor([[1.0], [float("inf")]]))
    with pytest.raises(ValueError, match="2 and 3 rows"):
        of_pairs(torch.ones(2, 4), torch.ones(3, 4))


@given(st.integers(2, 60), st.integers(0, 2**32))
def test_partners_are_a_derangement(n: int, seed: int) -> None:
    partners = random_partners(n, seed)
    assert sorted(partners.tolist()) == list(range(n))
    assert all(partner != i for i, partner in enumerate(partners.tolist()))
    assert np.array_equal(partners, random_partners(n, seed))


def test_every_other_item_is_equally_likely_a_partner() -> None:
    counts = np.zeros((4, 4), int)
    for seed in range(3000):
        counts[np.arange(4), random_partners(4, seed)] += 1
    assert not counts.diagonal().any()
    others = counts[~np.eye(4, dtype=bool)]
    assert stats.chisquare(others).pvalue > 1e-4


def test_one_item_has_no_partner() -> None:
    with pytest.raises(ValueError, match="at least two"):
        random_partners(1, 0)


@given(st.lists(st.integers(0, 4), max_size=25), st.integers(0, 99))
def test_partners_within_groups_are_of_the_group(groups: list[int], seed: int) -> None:
    items, partners = random_partners_within(np.array(groups, np.int64), seed)
    assert items.tolist() == [i for i, group in enumerate(groups) if groups.count(group) > 1]
    assert sorted(partners.tolist()) == items.tolist()
    for item, partner in zip(items.tolist(), partners.tolist(), strict=True):
        assert item != partner
        assert groups[item] == groups[partner]


def test_histograms_have_fixed_bins() -> None:
    counts = histogram([-1, -1 - 1e-9, 0.0, 0.011, 0.02, 1, 1 + 1e-9])
    assert counts.sum() == 7
    assert (counts[0], counts[50], counts[51], counts[-1]) == (2, 2, 1, 2)
    assert bin_edges()[[0, 50, 51, 100]].tolist() == [-1, 0, 0.02, 1]
    assert histogram([]).sum() == 0
    assert len(histogram([0.5], bins=10)) == 10


@pytest.mark.parametrize(("values", "message"), [([0.1, 1.5], "there is one of 1.5"), ([float("nan")], "nan")])
def test_histograms_refuse_what_is_no_cosine(values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        histogram(values)


@given(SAMPLES, SAMPLES)
def test_overlap_is_by_the_best_threshold(a: list[int], b: list[int]) -> None:
    """The two error rates of telling a from b by a threshold, in either direction, at their lowest."""
    errors = []
    for threshold in [-6, *a, *b]:
        share_a, share_b = np.mean(np.array(a) > threshold), np.mean(np.array(b) > threshold)
        errors += [1 - share_a + share_b, 1 - share_b + share_a]
    assert overlap(a, b) == pytest.approx(min(errors), abs=1e-12)
    assert overlap(b, a) == pytest.approx(overlap(a, b), abs=1e-12)
    assert 0 <= overlap(a, b) <= 1


def test_overlap_of_known_distributions() -> None:
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=20_000), draw.normal(size=20_000)
    assert overlap(a, a) == 1
    assert overlap(a, b) == pytest.approx(1, abs=0.03)
    assert overlap(a, b + 2) == pytest.approx(2 * stats.norm.cdf(-1), abs=0.02)  # the area under both bells
    assert overlap(a, b + 20) == 0
    assert overlap(0.999 + 1e-5 * a, 0.999 + 1e-5 * (b + 20)) == 0  # in a narrow cone too
    with pytest.raises(ValueError, match="at least one"):
        overlap([], [1.0])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda runs: np.std(runs) > 1e-6))
def test_the_mean_of_runs_has_students_interval(runs: list[float]) -> None:
    result = mean_of_runs(runs)
    low, high = stats.t.interval(0.95, len(runs) - 1, loc=np.mean(runs), scale=stats.sem(runs))
    assert (result.value, result.low, result.high) == pytest.approx((np.mean(runs), low, high))
    assert result.standard_deviation == pytest.approx(np.std(runs, ddof=1))
    assert result.n == len(runs)


def test_the_mean_of_one_run_has_no_interval() -> None:
    result = mean_of_runs([[0.5], [0.7]])
    assert result.value.tolist() == [0.5, 0.7]
    for values in (result.standard_deviation, result.low, result.high):
        assert values.shape == (2,)
        assert np.isnan(values).all()
    for wrong in ([], 0.5, [[], []]):
        with pytest.raises(ValueError, match="at least one run"):
            mean_of_runs(wrong)


def test_a_run_of_nan_is_not_passed_over() -> None:
    result = mean_of_runs([[0.1, 0.2, float("nan")], [0.1, 0.2, 0.3]])
    assert np.isnan(result.value[0])
    assert np.isnan(result.low[0])
    assert result.value[1] == pytest.approx(0.2)
