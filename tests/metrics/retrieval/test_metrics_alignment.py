"""Precision, recall and error rate of links."""

from __future__ import annotations

import math

import pytest

from backend.metrics.retrieval.word_alignment import precision, quality


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
