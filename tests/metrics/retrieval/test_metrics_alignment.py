"""Links by mutual argmax, and precision, recall and error rate of links."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from backend.metrics.retrieval.word_alignment import mutual_argmax, precision, quality


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 3)))
def test_a_link_is_the_first_best_of_its_row_and_of_its_column(matrix: np.ndarray) -> None:
    expected = []
    for i, row in enumerate(matrix.tolist()):
        for j, value in enumerate(row):
            column = matrix[:, j].tolist()
            if row.index(max(row)) == j and column.index(max(column)) == i:
                assert value == max(row) == max(column)
                expected.append((i, j))
    links = mutual_argmax(matrix)
    assert links == expected
    assert len({i for i, _ in links}) == len({j for _, j in links}) == len(links)


def test_links_of_a_known_matrix() -> None:
    similarity = torch.tensor([[0.9, 0.1, 0.2], [0.8, 0.3, 0.1]])
    assert mutual_argmax(similarity) == [(0, 0)]  # the second word's best has a better one
    assert mutual_argmax([[0.1, 0.9], [0.8, 0.2]]) == [(0, 1), (1, 0)]
    assert mutual_argmax(np.ones((3, 3))) == [(0, 0)]
    assert mutual_argmax([[-3.0]]) == [(0, 0)]
    assert mutual_argmax(np.zeros((0, 4))) == mutual_argmax(np.zeros((4, 0))) == []


@pytest.mark.parametrize("bad", [[1.0, 2.0], [[float("nan"), 1.0]], np.zeros((2, 2, 2))])
def test_what_is_no_matrix_of_numbers_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="matrix"):
        mutual_argmax(bad)  # type: ignore[arg-type]


def test_quality_of_known_links() -> None:
    predicted = [(0, 0), (1, 1), (2, 2), (3, 3)]
    sure, possible = [(0, 0), (1, 1), (4, 4)], [(2, 2)]
    result = quality(predicted, sure, possible)
    assert result.precision == precision(predicted, sure, possible) == 3 / 4
    assert result.recall == 2 / 3
    assert result.alignment_error_rate == pytest.approx(1 - (2 + 3) / (4 + 3))
    assert quality(predicted, sure, [*possible, *sure]) == result  # sure links are possible whether listed or not
    assert quality(predicted * 2, sure, possible) == result


def test_quality_at_its_ends() -> None:
    assert quality([(0, 0)], [(0, 0)], []) == quality([(0, 0), (1, 0)], [(0, 0)], [(1, 0)])
    perfect = quality([(0, 0)], [(0, 0)], [])
    assert (perfect.precision, perfect.recall, perfect.alignment_error_rate) == (1, 1, 0)
    nothing = quality([], [(0, 0)], [])
    assert math.isnan(nothing.precision)
    assert (nothing.recall, nothing.alignment_error_rate) == (0, 1)
    assert math.isnan(quality([(0, 0)], [], [(0, 0)]).recall)
    assert math.isnan(quality([], [], []).alignment_error_rate)


def test_links_of_different_sentences_are_different() -> None:
    assert precision([(0, 1, 1), (1, 1, 1)], [(0, 1, 1)], []) == 0.5
