"""Models side by side against loops over subsets of the languages, all signs and all pairs; and how often intervals hold."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from isogloss.backend.metrics.ranking.apart import LEAST, differences, means, significance, subsets
from isogloss.backend.metrics.ranking.contributions import Contributions, of_languages, of_pairs
from tests.metrics.ranking.ranking_by_hand import pseudo_values, residuals, step_down, typical_interval

KINDS = ("drawn", "ties", "one language", "equal models", "a constant difference", "heavy tails")


def models_of(kind: str, seed: int, models: int = 4, languages: int = 7) -> np.ndarray:
    draw = np.random.default_rng(seed)
    values = draw.normal(size=languages) + draw.normal(size=(models, languages))
    match kind:
        case "ties":
            return values.round(0)
        case "one language":
            values[:, 2] *= 1000
        case "equal models":
            values[1] = values[0]
        case "a constant difference":
            values[1:3] = values[0] + np.array([[0.25], [1e-9]])
        case "heavy tails":
            values = draw.standard_cauchy(size=values.shape)
    return values


def squares_of(kind: str, seed: int, models: int = 3, languages: int = 7) -> np.ndarray:
    draw = np.random.default_rng(seed)
    added = models_of(kind, seed, models, languages)
    own = np.triu(draw.normal(size=(models, languages, languages)), 1)
    square = added[:, :, None] + added[:, None, :] + own + np.swapaxes(own, 1, 2)
    square[:, np.arange(languages), np.arange(languages)] = np.nan  # not looked at
    return square


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_of_the_means_of_all_subsets(kind: str, seed: int) -> None:
    values = models_of(kind, seed)
    of = of_languages(values)
    own, apart = means(of), differences(of)
    assert own.value == pytest.approx(values.mean(axis=1))
    for a, b in itertools.product(range(len(values)), repeat=2):
        low, high = typical_interval((values[a] - values[b]).tolist())
        assert (apart.value[a, b], apart.low[a, b], apart.high[a, b]) == pytest.approx(
            ((values[a] - values[b]).mean(), low, high), rel=1e-6, abs=1e-9
        )
        assert (own.low[a], own.high[a]) == pytest.approx(typical_interval(values[a].tolist()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_p_is_of_all_signs_and_corrected_step_by_step(kind: str, seed: int) -> None:
    values = models_of(kind, seed)
    found = significance(of_languages(values))
    for (a, b), (p, corrected) in step_down(values).items():
        assert found.p[a, b] == found.p[b, a] == pytest.approx(p)
        assert found.corrected[a, b] == found.corrected[b, a] == pytest.approx(corrected)
    assert np.diagonal(found.p).tolist() == np.diagonal(found.corrected).tolist() == [1.0] * len(values)


FAMILIES = np.array([0, 0, 0, 1, 2, 2, 3, 4, 5])


def by_families(values: np.ndarray) -> list[list[int]]:
    """Return the languages of every subset of the families that is not empty."""
    kept = [list(some) for size in range(1, 7) for some in itertools.combinations(range(6), size)]
    return [[place for place, family in enumerate(FAMILIES) if family in some] for some in kept]


@pytest.mark.parametrize("kind", KINDS)
def test_where_families_are_drawn_subsets_and_signs_are_of_whole_families(kind: str) -> None:
    values = models_of(kind, 2, 3, len(FAMILIES))
    of = replace(of_languages(values), groups=FAMILIES)
    found, tested = differences(of), significance(of)
    some = by_families(values)
    for a, b in itertools.permutations(range(3), 2):
        each = values[a] - values[b]
        gaps = sorted(float(each[own].mean()) for own in some)
        place = 0.025 * (len(gaps) + 1) - 1
        before = int(place)
        low = gaps[before] + (place - before) * (gaps[before + 1] - gaps[before])
        high = gaps[-1 - before] + (place - before) * (gaps[-2 - before] - gaps[-1 - before])
        assert (found.low[a, b], found.high[a, b]) == pytest.approx((low, high), rel=1e-9, abs=1e-12)
        size = np.square(each).mean()
        signs = [np.where(np.isin(np.arange(len(each)), own), -1, 1) for own in [[], *some]]
        reached = [(sign * each).mean() ** 2 >= each.mean() ** 2 - 1e-9 * size for sign in signs]
        assert tested.p[a, b] == pytest.approx(np.mean(reached))


def test_a_family_a_language_is_as_without_families_and_five_families_tell_nothing() -> None:
    values = models_of("drawn", 4)
    plain, alone = of_languages(values), replace(of_languages(values), groups=np.arange(values.shape[1]))
    np.testing.assert_array_equal(differences(plain).low, differences(alone).low)
    np.testing.assert_array_equal(significance(plain).corrected, significance(alone).corrected)
    few = replace(plain, groups=np.minimum(np.arange(values.shape[1]), LEAST - 2))
    assert np.isnan(differences(few).low[0, 1])
    assert np.isnan(means(few).low).all()
    assert np.isnan(significance(few).corrected[0, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_language_contributes_to_a_mean_over_pairs_what_it_is_less_without_it(kind: str) -> None:
    squares = squares_of(kind, 5)
    of = of_pairs(squares)
    left = [residuals(square) for square in squares]
    n = squares.shape[1]
    for place, square in enumerate(squares):
        assert of.each[place] == pytest.approx(pseudo_values(square), rel=1e-9, abs=1e-9)
        assert of.value[place] == pytest.approx(np.nanmean(square))
        for other in range(len(squares)):
            assert of.noise[place, other] == pytest.approx(left[place] @ left[other] / (n * (n - 3) / 2), rel=1e-6, abs=1e-6)


def test_the_width_over_pairs_is_that_of_the_variance_without_what_pairs_have_of_their_own() -> None:
    squares = squares_of("drawn", 8, models=2)
    of, n = of_pairs(squares), squares.shape[1]
    difference = squares[0] - squares[1]
    own = np.array(pseudo_values(difference))
    noise = np.square(residuals(difference)).sum() / (n * (n - 3) / 2)
    plain = own.var(ddof=1) / n
    share = max(plain - 2 * noise / ((n - 1) * (n - 2)), 2 * noise / (n * (n - 1))) / plain
    shrink = min(np.sqrt(share) * t.ppf(0.975, (n - 1) * share**2) / t.ppf(0.975, n - 1), 1)
    ends = [own.mean() + shrink * (end - own.mean()) for end in typical_interval(own.tolist())]
    found = differences(of)
    assert [found.low[0, 1], found.high[0, 1]] == pytest.approx(ends)
    assert [found.low[1, 0], found.high[1, 0]] == pytest.approx([-ends[1], -ends[0]])


@pytest.mark.parametrize(("languages", "strength"), [(8, 0.6), (12, 0.3), (12, 0.6), (20, 0.3)])
def test_models_are_rarely_told_apart_where_languages_add_about_as_much_as_pairs_have_of_their_own(
    languages: int, strength: float
) -> None:
    """Of 1,000 trials of three equal models: 5% and 2 standard errors. Without what the estimate costs it was 6.5 to 7.8%."""
    draw, wrong = np.random.default_rng(languages), 0
    for _ in range(1000):
        added = strength * draw.normal(size=(3, languages))
        own = np.triu(draw.normal(size=(3, languages, languages)), 1)
        square = added[:, :, None] + added[:, None, :] + own + np.swapaxes(own, 1, 2)
        wrong += bool((significance(of_pairs(square)).corrected <= 0.05).any())
    assert wrong <= 0.064 * 1000


def test_pairs_whose_languages_add_nothing_alike_are_little_less_sure_than_their_number() -> None:
    """Without the correction the pseudo-values' interval would be some √2 as wide."""
    draw, widths = np.random.default_rng(3), []
    for _ in range(60):
        own = np.triu(draw.normal(size=(2, 48, 48)), 1)
        found = differences(of_pairs(own + np.swapaxes(own, 1, 2)))
        widths.append(found.high[0, 1] - found.low[0, 1])
    of_so_many_pairs = 2 * 1.96 * np.sqrt(2 / (48 * 47 / 2))
    assert np.median(widths) == pytest.approx(of_so_many_pairs, rel=0.15)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_languages_tell_nothing(n: int) -> None:
    values = np.arange(3.0)[:, None] + np.zeros(n)
    of = of_languages(values)
    assert np.isnan(means(of).low).all()
    assert np.isnan(differences(of).high[~np.eye(3, dtype=bool)]).all()
    assert np.isnan(significance(of).corrected[~np.eye(3, dtype=bool)]).all()
    assert means(of).value.tolist() == [0, 1, 2]


def test_three_languages_have_a_mean_over_pairs_and_no_spread() -> None:
    of = of_pairs(squares_of("drawn", 1, languages=3))
    assert of.each.shape == (3, 0)
    assert np.isfinite(of.value).all()
    assert np.isnan(means(of).low).all()
    assert np.isnan(significance(of).p[0, 1])


def test_subsets_are_all_there_are_or_random_ones() -> None:
    assert len(subsets(6)) == len({tuple(each) for each in subsets(6).tolist()}) == 63
    assert len(subsets(10)) == len(subsets(200)) == 1023
    assert subsets(40).any(axis=1).all()
    assert subsets(200).mean() == pytest.approx(0.5, abs=0.01)


def test_random_signs_are_near_all_signs() -> None:
    values = models_of("drawn", 4, models=5, languages=13)
    values[:2] += 0.7
    exact, found = step_down(values[:, :10]), significance(of_languages(values[:, :10]))
    assert found.corrected[0, 1] == pytest.approx(exact[0, 1][1])
    more = significance(of_languages(values))
    all_signs = step_down(values)
    for (a, b), (p, corrected) in all_signs.items():
        assert more.p[a, b] == pytest.approx(p, abs=0.05)
        assert more.corrected[a, b] == pytest.approx(corrected, abs=0.06)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(LEAST, 14), st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_what_all_models_share_and_the_unit_change_nothing(
    seed: int, models: int, languages: int, shift: float, scale: float
) -> None:
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(models, languages))
    shared = shift * draw.normal(size=languages)
    plain, moved = significance(of_languages(values)), significance(of_languages(scale * (values + shared)))
    assert moved.p == pytest.approx(plain.p)
    assert moved.corrected == pytest.approx(plain.corrected)
    assert (plain.corrected >= plain.p - 1e-12).all()
    order = draw.permutation(models)
    assert significance(of_languages(values[order])).corrected == pytest.approx(plain.corrected[np.ix_(order, order)])


def test_what_one_lacks_is_left_out_before() -> None:
    with pytest.raises(ValueError, match="leave out what one lacks"):
        of_languages([[1.0, np.nan]])
    with pytest.raises(ValueError, match=r"\[models, languages\], not \[3\]"):
        of_languages([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"not \[1, 2, 3\]"):
        of_pairs(np.zeros((1, 2, 3)))
    assert isinstance(of_pairs(np.zeros((2, 2, 2))), Contributions)


TRUTHS = {
    "normal": lambda draw, shape: draw.standard_normal(shape),
    "heavy tails": lambda draw, shape: draw.standard_t(2, shape),
    "one outlier": lambda draw, shape: draw.standard_normal(shape) * np.where(np.arange(shape[-1]) == 1, 20, 1),
}


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("languages", [6, 20])
def test_three_equal_models_are_told_apart_in_one_of_twenty_trials_and_intervals_hold(truth: str, languages: int) -> None:
    """Of 400 trials: 5% ± 3 standard errors of 1.1 points, and not fewer than a test that tells something."""
    draw, wrong, held = np.random.default_rng(12), 0, []
    for _ in range(400):
        of = of_languages(draw.normal(size=languages) + TRUTHS[truth](draw, (3, languages)))
        wrong += bool((significance(of).corrected <= 0.05).any())
        found = differences(of)
        held.append((found.low[0, 1] <= 0) & (found.high[0, 1] >= 0))
    assert wrong <= 0.083 * 400
    assert 0.915 <= np.mean(held) <= 0.985


def test_models_that_share_languages_pairwise_are_not_told_apart_by_their_number_of_pairs() -> None:
    """A plain test over 190 pairs of 20 languages would be wrong in most trials."""
    draw, wrong, plain = np.random.default_rng(2), 0, 0
    for _ in range(300):
        added = draw.normal(size=(2, 20))
        own = np.triu(0.3 * draw.normal(size=(2, 20, 20)), 1)
        square = added[:, :, None] + added[:, None, :] + own + np.swapaxes(own, 1, 2)
        wrong += significance(of_pairs(square)).corrected[0, 1] <= 0.05
        pairs = (square[0] - square[1])[np.triu_indices(20, 1)]
        plain += abs(pairs.mean()) > 1.97 * pairs.std(ddof=1) / len(pairs) ** 0.5
    assert wrong <= 0.088 * 300
    assert plain > 0.3 * 300


def test_a_model_that_is_better_in_all_of_twelve_languages_is_told_from_the_others() -> None:
    draw = np.random.default_rng(0)
    values = draw.normal(size=12) * 3 + draw.normal(size=(6, 12))
    values[0] += 3
    apart = significance(of_languages(values)).corrected <= 0.05
    assert apart[0, 1:].all()
    assert not apart[1:, 1:].any()
