"""Controls of ABX without a model, against loops over triplets as the definitions have them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isogloss.backend.metrics.abx.texts import byte_counts, of_bags, of_lengths
from isogloss.backend.metrics.blocks import Stopped


def half(right: float, wrong: float) -> float:
    """A triplet's outcome, as a share."""
    return 0.5 if right == wrong else float(right < wrong)


def cosine_distance(one: np.ndarray, other: np.ndarray) -> float:
    lengths = math.sqrt(float(one @ one) * float(other @ other))
    return round(1 - float(one @ other) / lengths, 12) if lengths else 1.0


def by_loops(vectors, i: int, j: int, distance, without: int | None = None) -> tuple[float, float]:
    """Language and meaning discrimination of a pair, triplet by triplet, perhaps without one sentence."""
    some = [p for p in range(len(vectors[0])) if p != without]
    language, meaning = [], []
    for a, b in ((vectors[i], vectors[j]), (vectors[j], vectors[i])):
        for p in some:
            for q in some:
                if p != q:
                    language.append(half(distance(a[p], a[q]), distance(a[p], b[q])))
                    meaning.append(half(distance(a[p], b[p]), distance(a[p], b[q])))
    return float(np.mean(language)), float(np.mean(meaning))


def apart(one: int, other: int) -> int:
    return abs(int(one) - int(other))


@settings(max_examples=150, deadline=None)
@given(arrays(np.int64, st.tuples(st.integers(2, 3), st.integers(2, 9)), elements=st.integers(0, 6)))
def test_length_alone_equals_loops_over_triplets_with_many_ties(lengths) -> None:
    """Small whole numbers tie in every way there is: equal lengths, equal distances, a translation of the same length."""
    found = of_lengths(lengths)
    pairs = [(i, j) for i in range(len(lengths)) for j in range(i + 1, len(lengths))]
    for place, (i, j) in enumerate(pairs):
        language, meaning = by_loops(lengths, i, j, apart)
        assert found.language.value[place] == pytest.approx(language, abs=1e-12)
        assert found.meaning.value[place] == pytest.approx(meaning, abs=1e-12)


def test_its_interval_is_that_of_scores_without_each_sentence() -> None:
    """The standard error behind it is counted anew without each sentence; Wilson's scale is that of every exact score."""
    from isogloss.backend.metrics.intervals import jackknife_interval

    draw = np.random.default_rng(4)
    lengths = draw.integers(1, 30, (2, 12))
    found = of_lengths(lengths)
    for which, of in enumerate((found.language, found.meaning)):
        without = np.array([by_loops(lengths, 0, 1, apart, k)[which] for k in range(12)])
        error = math.sqrt(11 / 12 * ((without - without.mean()) ** 2).sum())
        low, high = jackknife_interval(by_loops(lengths, 0, 1, apart)[which], error, 12)
        assert (of.low[0], of.high[0]) == pytest.approx((float(low), float(high)), abs=1e-12)


def test_what_length_can_and_cannot_tell() -> None:
    """Lengths alike in both languages tell meanings apart and not the languages; a constant length tells nothing."""
    same = np.arange(1, 8)
    found = of_lengths(np.stack([same, same]))
    assert (found.language.value[0], found.meaning.value[0]) == (0.5, 1.0)
    found = of_lengths(np.full((2, 5), 7))
    assert (found.language.value[0], found.meaning.value[0]) == (0.5, 0.5)
    found = of_lengths(np.stack([same, same + 100]))
    assert found.language.value[0] == 1.0


def test_pairs_are_those_asked_for_in_their_order() -> None:
    lengths = np.random.default_rng(0).integers(1, 9, (4, 6))
    every, some = of_lengths(lengths), of_lengths(lengths, pairs=[(2, 3), (0, 2)])
    assert some.language.value.tolist() == every.language.value[[5, 1]].tolist()
    counts = np.random.default_rng(1).integers(0, 3, (4, 6, 5))
    all_bags, bags = of_bags(counts), of_bags(counts, pairs=[(2, 3), (0, 2)])
    assert bags.meaning.value.tolist() == all_bags.meaning.value[[5, 1]].tolist()
    assert bags.meaning.low.tolist() == all_bags.meaning.low[[5, 1]].tolist()


def test_few_sentences() -> None:
    one, two = of_lengths([[3], [4]]), of_lengths([[3, 1], [4, 4]])
    assert np.isnan([one.language.value[0], one.meaning.value[0], one.language.low[0]]).all()
    assert two.meaning.value[0] == by_loops(np.array([[3, 1], [4, 4]]), 0, 1, apart)[1]
    assert np.isnan(two.meaning.low[0])


@pytest.mark.parametrize("lengths", [[1, 2], [[1.5, 2.0]], [[]], np.zeros((2, 3, 4), int)])
def test_other_shapes_and_types_are_refused_in_words(lengths) -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        of_lengths(lengths)


def test_it_stops_when_asked() -> None:
    with pytest.raises(Stopped):
        of_lengths([[1, 2], [2, 3]], should_stop=lambda: True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.text("aбこ\ud800 ", max_size=4), min_size=5, max_size=5), min_size=2, max_size=3))
def test_a_bag_of_bytes_equals_loops_over_triplets(texts) -> None:
    """With empty sentences, equal ones, and those whose order of letters alone differs: ties."""
    counts = np.stack([byte_counts(each) for each in texts])
    found = of_bags(counts)
    pairs = [(i, j) for i in range(len(texts)) for j in range(i + 1, len(texts))]
    for place, (i, j) in enumerate(pairs):
        language, meaning = by_loops(counts.astype(np.float64), i, j, cosine_distance)
        assert found.language.value[place] == pytest.approx(language, abs=1e-12)
        assert found.meaning.value[place] == pytest.approx(meaning, abs=1e-12)


def test_bytes_are_those_of_utf_8() -> None:
    [counts] = byte_counts(["aéa"])
    assert {byte: int(n) for byte, n in enumerate(counts) if n} == {0x61: 2, 0xC3: 1, 0xA9: 1}
    assert byte_counts([""]).sum() == 0
