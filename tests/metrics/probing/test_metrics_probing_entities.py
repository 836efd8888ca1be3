"""Entity F1 against seqeval itself."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import f1_score

from isogloss.backend.metrics.probing.entities import entity_f1

TAGS = ("B-LOC", "B-PER", "I-LOC", "I-PER", "O")
ODD = ("B-X-Y", "I-X-Y", "E-X", "S-X", "B", "I", "O", "I-X", "NOUN", "-")


def by_seqeval(gold: list[list[str]], said: list[list[str]]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(f1_score(gold, said))


@pytest.mark.parametrize("tags", [TAGS, ODD])
@given(data=st.data())
@settings(max_examples=150)
def test_every_seed_has_the_f1_of_seqeval(tags: tuple[str, ...], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    begins = np.concatenate([[0], np.cumsum(sizes)])
    row = st.lists(st.integers(0, len(tags) - 1), min_size=int(begins[-1]), max_size=int(begins[-1]))
    gold = np.array(data.draw(row), np.int64)
    said = np.array([data.draw(row) for _ in range(2)], np.int64).reshape(2, -1)
    found = entity_f1(said, gold, tags, begins)

    def sentences(numbers: np.ndarray) -> list[list[str]]:
        return [[tags[n] for n in numbers[a:b]] for a, b in pairwise(begins)]

    for seed in range(2):
        expected = by_seqeval(sentences(gold), sentences(said[seed]))
        got = found.seeds[seed]
        assert got == pytest.approx(expected) or (np.isnan(got) and expected == 0)


def test_layers_and_seeds_keep_their_places() -> None:
    gold = np.array([1, 3, 4, 0, 2])
    said = np.array([[[1, 3, 4, 0, 2], [1, 4, 4, 0, 2]], [[4] * 5, [4, 4, 4, 0, 2]], [[4] * 5, [4] * 5]])
    found = entity_f1(said, gold, TAGS, [0, 3, 5])
    np.testing.assert_allclose(found.seeds, [[1, 0.5], [0, 2 / 3], [0, 0]])
    np.testing.assert_allclose(found.value, [0.75, 1 / 3, 0])


def test_an_entity_does_not_go_on_in_the_next_sentence() -> None:
    gold = np.array([1, 3])
    assert entity_f1([[1, 3]], gold, TAGS, [0, 2]).value == 1
    assert entity_f1([[4, 3]], gold, TAGS, [0, 1, 2]).value == pytest.approx(2 / 3)  # the second sentence begins with I-PER
    nothing_first = by_seqeval([[], ["B", "B-X-Y"]], [[], ["-", "B-X-Y"]])
    assert entity_f1([[9, 0]], [4, 0], ODD, [0, 0, 2]).value == nothing_first == 0.5


def test_without_entities_there_is_no_f1() -> None:
    assert np.isnan(entity_f1([[4, 4]], [4, 4], TAGS, [0, 1, 2]).value)
    assert entity_f1([[4, 1]], [4, 4], TAGS, [0, 1, 2]).value == 0
    assert np.isnan(entity_f1(np.empty((1, 0)), [], TAGS, [0]).value)


def test_tags_that_are_not_there_are_said() -> None:
    with pytest.raises(ValueError, match="numbered 0 to 4"):
        entity_f1([[5]], [0], TAGS, [0, 1])
    with pytest.raises(ValueError, match="do not fit"):
        entity_f1([[0, 0]], [0], TAGS, [0, 1])
