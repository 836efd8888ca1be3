"""Paired intervals of geometry: against leaving sentences out by hand, near the ends of scales, and a truth that is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import t

from isogloss.backend.experiments.family import POSITIVE, SHARE, SIGNED
from isogloss.backend.metrics.geometry.layer import geometry
from isogloss.backend.metrics.geometry.paired import difference_interval
from tests.metrics.geometry.test_pairs_against_loops import cka_loop, vectors_of

UNBOUNDED = (None, None)


def test_a_difference_is_that_of_leaving_each_sentence_out_of_both() -> None:
    both = [vectors_of(seed, languages=2, n=14) for seed in (0, 1)]
    values = np.array([cka_loop(*each) for each in both])
    without = np.array([[cka_loop(*np.delete(each, p, axis=1)) for p in range(14)] for each in both])
    apart = without[0] - without[1]
    half = t.ppf(0.975, 13) * math.sqrt(13 / 14 * np.square(apart - apart.mean()).sum())
    sides = [(value, each - each.mean()) for value, each in zip(values, without, strict=True)]
    low, high, freedom = difference_interval("plain", sides[0], sides[1], UNBOUNDED)
    assert (low, high, freedom) == pytest.approx((values[0] - values[1] - half, values[0] - values[1] + half, 13))
    wide_low, wide_high, _ = difference_interval("correlation", sides[0], sides[1], UNBOUNDED)
    assert wide_low <= low + 1e-12 < high - 1e-12 <= wide_high  # the ends on Fisher's scale count too


def test_the_jackknife_of_a_layer_gives_it() -> None:
    """What `geometry` keeps of both sides against the delete-one values of the mean over a language's pairs."""
    both = [torch.from_numpy(vectors_of(seed, languages=3, n=12)) for seed in (2, 3)]
    found = [geometry(each, k=3, per_sentence=True) for each in both]
    pairs = ((0, 1), (0, 2))  # of language 0
    values = [float(each.of_pairs["cka"].value[:2].mean()) for each in found]
    without = [
        [np.mean([cka_loop(*(np.delete(v[side].numpy(), p, axis=0) for side in pair)) for pair in pairs]) for p in range(12)]
        for v in both
    ]
    expected = difference_interval(
        "plain", *((value, np.array(each) - np.mean(each)) for value, each in zip(values, without, strict=True)), UNBOUNDED
    )
    kept = [(value, each.away["cka"][0].numpy()) for value, each in zip(values, found, strict=True)]
    np.testing.assert_allclose(difference_interval("plain", kept[0], kept[1], UNBOUNDED), expected, rtol=1e-3, atol=1e-5)


def test_shares_found_are_held_sentence_by_sentence() -> None:
    """Sides that found the very same, all or some, have a width; where they differ it is of the differences."""
    n = 40
    for right in (np.ones(n), (np.arange(n) % 2).astype(float)):
        away = (right.mean() - right) / (n - 1)
        low, high, _ = difference_interval("found", (right.mean(), away), (right.mean(), away), SHARE)
        assert low == pytest.approx(-high)
        assert high > 0.02
    one, other = (np.arange(n) % 2).astype(float), (np.arange(n) % 4 == 1).astype(float)
    sides = [(right.mean(), (right.mean() - right) / (n - 1)) for right in (one, other)]
    low, high, _ = difference_interval("found", sides[0], sides[1], SHARE)
    added = one - other
    half = t.ppf(0.975, n - 1) * math.sqrt((np.square(added - added.mean()).sum() + 1) / n / (n - 1))
    assert (low, high) == pytest.approx((added.mean() * n / (n + 2) - half, added.mean() * n / (n + 2) + half))


def test_what_is_not_defined_stays_so_and_bounds_are_kept() -> None:
    nothing = np.full((2, 5), np.nan)
    value = np.array([0.5, np.nan])
    assert np.isnan(difference_interval("correlation", (value, nothing), (value, nothing), SIGNED)[0]).all()
    assert np.isnan(difference_interval("share", (0.5, [0.1, -0.1]), (0.5, [0.1, -0.1]), SHARE)[0])
    far = np.array([3.0, -3.0, 1.0, -1.0])
    low, high, _ = difference_interval("share", (0.9, far), (0.1, -far), SHARE)
    assert (low, high) == (-1, 1)
    low, _, _ = difference_interval("ratio", (9.0, far), (3.0, -far), POSITIVE)
    assert low < -1


@pytest.mark.parametrize("metric", ["cka", "mexa"])
def test_intervals_hold_the_truth(metric: str) -> None:
    """Of two models that are equal, in at least 95% of trials less four standard errors: 18 pairs in each of 25 draws."""
    draw = np.random.default_rng(7)
    held, n = [], 40
    for _ in range(25):
        hard = np.exp(0.5 * draw.standard_normal((n, 1)))
        vectors = draw.standard_normal((18, 2, 1, n, 12)) + 1.2 * hard * draw.standard_normal((18, 2, 2, n, 12))
        pairs = [(2 * each, 2 * each + 1) for each in range(36)]
        found = geometry(torch.from_numpy(vectors.reshape(72, n, 12)), pairs=pairs, per_sentence=True)
        values = found.of_pairs[metric].value.numpy().reshape(18, 2)
        away = found.away[metric][::2].numpy().reshape(18, 2, n)
        scale, bounds = ("found", SHARE) if metric == "mexa" else ("correlation", UNBOUNDED)
        sides = [(values[:, side], away[:, side]) for side in (0, 1)]
        low, high, _ = difference_interval(scale, sides[0], sides[1], bounds)  # type: ignore[arg-type]
        held.append((low <= 0) & (high >= 0))
    assert np.mean(held) > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 450)
