"""Seeds of a model as one: held against loops, and against trainings drawn with a spread that is known."""

from __future__ import annotations

from statistics import mean, stdev

import numpy as np
import pytest
import scipy.stats

from isogloss.backend.metrics.ranking.apart import differences, means
from isogloss.backend.metrics.ranking.seeds import together
from isogloss.backend.metrics.ranking.shared import of_numbers, of_squares

OF = [0, 0, 0, 1, 2, 2]
"""What each given model is a seed of."""


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=(len(OF), *shape))


def test_spread_and_intervals_are_those_of_the_seeds_means() -> None:
    values = drawn(8)
    shared = of_numbers(values)
    assert shared is not None
    one, seeds = together(shared, OF)
    assert one.models.tolist() == [0, 1, 2]
    assert seeds.count.tolist() == [3, 1, 2]
    of_each = [[mean(values[place]) for place in range(6) if OF[place] == model] for model in range(3)]
    low, high = seeds.ends()
    for model, own in enumerate(of_each):
        assert one.of.value[model] == pytest.approx(mean(own))
        if len(own) > 1:
            assert seeds.deviation[model] == pytest.approx(stdev(own))
            found = scipy.stats.ttest_1samp(own, 0).confidence_interval()
            assert (low[model], high[model]) == pytest.approx((found.low, found.high))
    assert np.isnan([seeds.deviation[1], low[1], high[1]]).all()
    between = seeds.differences()
    welch = scipy.stats.ttest_ind(of_each[0], of_each[2], equal_var=False).confidence_interval()
    assert (between.low[0, 2], between.high[0, 2]) == pytest.approx((welch.low, welch.high))
    assert (between.low[2, 0], between.high[2, 0]) == pytest.approx((-welch.high, -welch.low))
    assert np.isnan(between.low[0, 1])
    assert between.value[0, 1] == pytest.approx(mean(of_each[0]) - mean(of_each[1]))


@pytest.mark.parametrize("pairs", [False, True])
def test_a_mean_over_seeds_is_a_model_whose_numbers_are_the_means(pairs: bool) -> None:
    if pairs:
        values = drawn(7, 7)
        values = values + np.swapaxes(values, 1, 2)
    else:
        values = drawn(7)
    by_hand = np.stack([np.mean([values[place] for place in range(6) if OF[place] == model], axis=0) for model in range(3)])
    of = of_squares if pairs else of_numbers
    shared, expected = of(values), of(by_hand)
    assert shared is not None
    assert expected is not None
    found = together(shared, OF)[0].of
    for one, other in ((means(found), means(expected.of)), (differences(found), differences(expected.of))):
        for name in ("value", "low", "high"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)


def test_equal_seeds_have_no_spread_and_a_seed_with_few_languages_is_left_out() -> None:
    values = np.repeat(drawn(8)[:1], 6, axis=0)
    values[1, 2:] = np.nan
    shared = of_numbers(values)
    assert shared is not None
    one, seeds = together(shared, OF)
    assert seeds.count.tolist() == [2, 1, 2]
    assert seeds.deviation[[0, 2]].tolist() == [0, 0]
    assert seeds.differences().low[0, 2] == seeds.differences().high[0, 2] == 0
    assert one.of.value == pytest.approx(np.full(3, values[0].mean()))


def test_intervals_hold_the_truth_of_trainings_that_are_drawn() -> None:
    """Of 400 trials 95% within four standard errors, also where the spreads and numbers of seeds are unlike."""
    draw = np.random.default_rng(0)
    of = [0] * 5 + [1] * 8
    truth, spread = np.array([0.7, 0.6]), np.array([0.01, 0.04])
    held = np.zeros(3)
    for _ in range(400):
        language = draw.normal(size=10)
        values = truth[of, None] + (spread[of] * draw.normal(size=13))[:, None] + language - language.mean()
        shared = of_numbers(values)
        assert shared is not None
        _, seeds = together(shared, of)
        low, high = seeds.ends()
        between = seeds.differences()
        held += [*((low <= truth) & (truth <= high)), between.low[0, 1] <= 0.1 <= between.high[0, 1]]
    assert (np.abs(held / 400 - 0.95) < 4 * (0.95 * 0.05 / 400) ** 0.5).all()
