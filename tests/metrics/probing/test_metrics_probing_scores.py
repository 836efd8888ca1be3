"""Accuracy, selectivity and their intervals, against slow versions and simulated truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isogloss.backend.metrics.probing.scores import accuracy, correct, difference, ratio, selectivity, sentence_sums

SIMULATIONS = 1500


def slow_interval(part: np.ndarray, whole: np.ndarray) -> tuple[float, float, float]:
    """Value, variance and degrees of freedom of one ratio `[seeds, sentences]`, by loops over what the formula says."""
    seeds, n = part.shape
    ratios = [sum(part[s]) / sum(whole[s]) for s in range(seeds)]
    z = [[(part[s][i] - ratios[s] * whole[s][i]) / (sum(whole[s]) / n) for i in range(n)] for s in range(seeds)]
    of_sentence = [sum(z[s][i] for s in range(seeds)) / seeds for i in range(n)]
    sentences = sum(each**2 for each in of_sentence) / (n - 1) / n
    middle = sum(ratios) / seeds
    over_seeds = 0.0
    if seeds > 1:
        raw = sum((each - middle) ** 2 for each in ratios) / (seeds - 1) / seeds
        noise = sum((z[s][i] - of_sentence[i]) ** 2 for s in range(seeds) for i in range(n)) / (seeds - 1) / (n - 1)
        over_seeds = max(0.0, raw - noise / seeds / n)
    variance = sentences + over_seeds
    below = sentences**2 / (n - 1) + over_seeds**2 / max(seeds - 1, 1)
    return middle, variance, variance**2 / below if below else n - 1


@given(st.data())
def test_a_difference_is_the_slow_version(data: st.DataObject) -> None:
    seeds, n = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 7))
    whole = data.draw(arrays(np.int64, (n,), elements=st.integers(1, 9)))
    part = data.draw(arrays(np.int64, (seeds, n), elements=st.integers(-9, 9))).clip(-whole, whole)
    found = difference(part, whole)
    value, variance, freedom = slow_interval(part, np.broadcast_to(whole, part.shape))
    from scipy.stats import t

    half = t.ppf(0.975, freedom) * math.sqrt(variance)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.low == pytest.approx(max(-1, value - half), abs=1e-9)
    assert found.high == pytest.approx(min(1, value + half), abs=1e-9)


@given(st.data())
def test_accuracy_is_counting(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=6))
    begins = np.concatenate([[0], np.cumsum(sizes)])
    words, layers, seeds = int(begins[-1]), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    tag = st.integers(0, 3)
    said = data.draw(arrays(np.uint8, (layers, seeds, words), elements=tag))
    gold = data.draw(arrays(np.int64, (words,), elements=st.integers(0, 5)))  # 4 and 5: tags that no probe knows
    found = accuracy(said, gold, begins)
    assert found.seeds.shape == (layers, seeds)
    for layer in range(layers):
        shares = [
            sum(int(said[layer, seed, w]) == gold[w] for w in range(words)) / words if words else math.nan
            for seed in range(seeds)
        ]
        np.testing.assert_allclose(found.seeds[layer], shares)
        np.testing.assert_allclose(found.value[layer], np.mean(shares))
    inside = (found.low <= found.value + 1e-12) & (found.value <= found.high + 1e-12) & (found.low >= 0) & (found.high <= 1)
    filled = sum(size > 0 for size in sizes)
    assert inside.all() if filled > 1 else np.isnan(found.low).all()


def test_sentences_without_words_change_nothing() -> None:
    gold, said = np.array([0, 1, 1, 0]), np.array([[0, 1, 0, 0], [0, 0, 1, 0]])
    one, other = accuracy(said, gold, [0, 1, 3, 4]), accuracy(said, gold, [0, 0, 1, 1, 3, 4, 4])
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)


def test_one_sentence_has_no_interval_and_no_words_no_score() -> None:
    one = accuracy([[0, 0, 1]], [0, 0, 0], [0, 3])
    assert one.value == pytest.approx(2 / 3)
    assert np.isnan([one.low, one.high]).all()
    none = accuracy(np.empty((2, 0)), np.empty(0), [0])
    assert np.isnan([none.value, none.low, none.high]).all()


def test_where_all_is_right_the_interval_is_not_empty() -> None:
    gold = np.zeros(60, np.int64)
    begins = np.arange(0, 61, 3)
    right = accuracy(np.zeros((6, 60)), gold, begins)
    assert right.value == right.high == 1
    assert 0.75 < right.low < 0.9  # as of twenty trials: Wilson's is 0.84, a little wider by Student's t
    wrong = accuracy(np.ones((6, 60)), gold, begins)
    assert wrong.low == pytest.approx(0, abs=1e-12)
    assert wrong.high == pytest.approx(1 - right.low)


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        correct([[0, 1]], [0])
    with pytest.raises(ValueError, match="do not fit"):
        correct([0, 1], [0, 1])
    for begins in ([0, 1], [1, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="begin at 0"):
            sentence_sums([1, 1], begins)
    with pytest.raises(ValueError, match="do not fit"):
        ratio([[1, 2]], [1])
    with pytest.raises(ValueError, match="different words or seeds"):
        selectivity([[True]], [[True, False]], [0, 1])


def test_selectivity_is_the_difference_of_two_accuracies_and_pairs_what_they_share() -> None:
    draw = np.random.default_rng(0)
    begins = np.arange(0, 401, 8)
    hard = draw.random(400) < 0.5  # words that both get wrong
    right = (draw.random((5, 400)) < 0.95) & ~hard
    control = (draw.random((5, 400)) < 0.75) & ~hard
    found = selectivity(right, control, begins)
    first, second = (accuracy(~each, np.zeros(400), begins) for each in (right, control))
    assert found.value == pytest.approx(first.value - second.value)
    np.testing.assert_allclose(found.seeds, first.seeds - second.seeds)
    assert found.low < found.value < found.high
    unpaired = math.hypot(first.high - first.value, second.high - second.value)
    assert found.high - found.value < 0.7 * unpaired
    assert selectivity(right, right, begins).value == 0


@pytest.mark.parametrize(
    ("seeds", "sentences", "mean", "of_sentence", "of_seed", "least"),
    [
        (6, 200, 1.5, 1.0, 0.0, 0.93),  # sentences alone
        (6, 200, 1.5, 0.7, 0.3, 0.93),  # both: seeds that differ by 5 points
        (6, 40, 2.5, 1.0, 0.0, 0.92),  # few sentences, 90% right
        (6, 60, 4.0, 1.0, 0.0, 0.90),  # nearly all right
        (1, 200, 1.5, 1.0, 0.0, 0.93),
        (3, 25, 0.0, 1.5, 0.2, 0.92),
    ],
)
def test_the_interval_covers_what_new_sentences_and_seeds_would_give(
    seeds: int, sentences: int, mean: float, of_sentence: float, of_seed: float, least: float
) -> None:
    """Words right by chance, with effects of sentences, seeds and both, of sentences of 3 to 30 words; 1,500 experiments."""
    draw = np.random.default_rng([seeds, sentences, int(10 * mean)])

    def chances(experiments: int, some_seeds: int, some_sentences: int) -> np.ndarray:
        effect = mean + of_sentence * draw.normal(size=(experiments, 1, some_sentences))
        effect = effect + of_seed * draw.normal(size=(experiments, some_seeds, 1))
        effect = effect + 0.3 * draw.normal(size=(experiments, some_seeds, some_sentences))
        return 1 / (1 + np.exp(-effect))

    truth = chances(200, 100, 100).mean()
    words = draw.integers(3, 31, sentences)
    right = draw.binomial(words, chances(SIMULATIONS, seeds, sentences))
    found = ratio(right, words)
    covered = ((found.low <= truth) & (truth <= found.high)).mean()
    assert least <= covered <= 0.985, covered


def test_the_interval_of_f1_covers_too() -> None:
    """F1 = 2 · found / (predicted + there), of sentences with 0 to 5 entities."""
    draw = np.random.default_rng(3)

    def counts(experiments: int, sentences: int) -> tuple[np.ndarray, np.ndarray]:
        there = draw.integers(0, 6, (experiments, 1, sentences))
        share = 1 / (1 + np.exp(-(1 + draw.normal(size=there.shape))))
        found = draw.binomial(np.broadcast_to(there, (experiments, 4, sentences)), share)
        return 2 * found, found + draw.poisson(0.4, found.shape) + there

    top, bottom = counts(1, 400_000)
    truth = top.sum() / bottom.sum()
    score = ratio(*counts(SIMULATIONS, 120))
    assert 0.93 <= ((score.low <= truth) & (truth <= score.high)).mean() <= 0.98
