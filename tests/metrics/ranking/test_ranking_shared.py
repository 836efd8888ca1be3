"""Which models and languages are set side by side, against loops."""

from __future__ import annotations

import itertools
from statistics import fmean

import numpy as np
import pytest

from isogloss.backend.metrics.ranking.shared import Shared, of_numbers, of_squares


def squares(seed: int, models: int = 3, languages: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(models, languages, languages))


def known(found: Shared | None) -> Shared:
    assert found is not None
    return found


def test_languages_are_those_that_all_have_and_few_ones_leave_a_model_out() -> None:
    values = np.random.default_rng(0).normal(size=(4, 9))
    values[0, 3] = values[1, 8] = np.nan
    values[2, 1:] = np.nan  # one language alone
    found = known(of_numbers(values))
    assert (found.models.tolist(), found.languages.tolist(), found.over) == ([0, 1, 3], [0, 1, 2, 4, 5, 6, 7], "languages")
    assert found.of.value == pytest.approx(np.delete(values[[0, 1, 3]], [3, 8], axis=1).mean(axis=1))
    assert of_numbers(np.full((2, 3), np.nan)) is None
    assert of_numbers(np.zeros((0, 3))) is None
    assert of_numbers([[1.0, np.nan], [np.nan, 1.0]]) is None


def test_pairs_are_means_of_the_directions_that_all_have() -> None:
    values = squares(1)
    values[1, 4, 2] = np.nan  # one direction in one model: the other counts in all
    found = known(of_squares(values))
    assert (found.over, found.languages.tolist(), found.others.tolist()) == ("pairs", list(range(7)), [])
    for place, square in enumerate(values):
        pairs = [
            square[2, 4] if (i, j) == (2, 4) else (square[i, j] + square[j, i]) / 2
            for i, j in itertools.combinations(range(7), 2)
        ]
        assert found.of.value[place] == pytest.approx(fmean(pairs))


def test_a_language_without_all_its_pairs_is_left_out() -> None:
    values = squares(2)
    values[0, 5, :] = values[0, :, 5] = np.nan
    values[2, 1, 6] = values[2, 6, 1] = np.nan
    found = known(of_squares(values))
    assert found.languages.tolist() in ([0, 1, 2, 3, 4], [0, 2, 3, 4, 6])
    assert found.over == "pairs"


def test_one_language_has_the_means_of_its_pairs() -> None:
    values = squares(3)
    values[1, 2, 5] = np.nan
    values[2, 2, 6] = values[2, 6, 2] = np.nan
    found = known(of_squares(values, one=2))
    assert (found.over, found.languages.tolist(), found.others.tolist()) == ("others", [0, 1, 3, 4, 5], [2])
    for place, square in enumerate(values):
        own = [square[5, 2] if k == 5 else (square[2, k] + square[k, 2]) / 2 for k in (0, 1, 3, 4, 5)]
        assert found.of.each[place] == pytest.approx(own)


def test_pairs_with_one_language_alone_are_of_the_others() -> None:
    values = np.full((2, 6, 6), np.nan)
    values[:, 1, :] = squares(4, 2, 6)[:, 1, :]  # from language 1 into all others
    values[:, 0, 1] = 5.0
    found = known(of_squares(values))
    assert (found.over, found.languages.tolist(), found.others.tolist()) == ("others", [0, 2, 3, 4, 5], [1])
    assert found.of.each[0] == pytest.approx([(values[0, 1, 0] + 5) / 2, *values[0, 1, 2:]])


def test_few_sources_and_many_targets_are_of_the_targets() -> None:
    values = np.full((2, 8, 8), np.nan)
    values[:, :2, :] = squares(5, 2, 8)[:, :2, :]
    found = known(of_squares(values, directed=True))
    assert (found.over, found.languages.tolist(), found.others.tolist()) == ("others", list(range(8)), [0, 1])
    expected = [values[0, 1, 0], values[0, 0, 1], *values[0, :2, 2:].mean(axis=0)]
    assert found.of.each[0] == pytest.approx(expected)


def test_the_diagonal_is_no_pair() -> None:
    values = np.full((2, 5, 5), np.nan)
    values[:, range(5), range(5)] = 1.0
    assert of_squares(values) is None
    assert of_squares(values, one=1) is None
