"""Models ranked from Python: as the formulas rank them, from dictionaries and arrays, and one sentence for what cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isogloss
from isogloss.backend.metrics.ranking.apart import differences, significance
from isogloss.backend.metrics.ranking.contributions import of_languages, of_pairs

LANGUAGES = ["de", "en", "fi", "fr", "hi", "ja", "sw", "tr"]


def drawn() -> np.ndarray:
    draw = np.random.default_rng(2)
    return np.array([[0.9], [0.2], [0.2]]) + 0.1 * draw.normal(size=(3, 8)) + draw.normal(size=8)


def test_models_are_ranked_by_what_all_have() -> None:
    values = drawn()
    given = {name: dict(zip(LANGUAGES, own, strict=True)) for name, own in zip("ABC", values, strict=True)}
    given["A"]["zu"] = 99.0  # nobody else has it
    given["C"]["fi"] = float("nan")
    found = isogloss.rank_models(given)
    common = np.delete(values, 2, axis=1)
    assert found["model"].tolist() == ["A", "C", "B"] if common[2].mean() > common[1].mean() else ["A", "B", "C"]
    assert found["n"].tolist() == [7, 7, 7]
    assert found["value"].tolist() == pytest.approx(sorted(common.mean(axis=1), reverse=True))
    assert found["rank"].tolist() == [1, 2, 3]
    assert found["rank_low"].tolist() == [1, 2, 2]
    assert found["rank_high"].tolist() == [1, 3, 3]
    assert found["group"].tolist() == ["a", "b", "b"]
    assert isogloss.rank_models(given, better="lower")["model"].tolist() == found["model"].tolist()[::-1]


def test_arrays_are_languages_or_pairs() -> None:
    values = drawn()
    of = of_languages(values)
    found = isogloss.compare_models(dict(zip("ABC", values, strict=True))).set_index(["first", "second"])
    assert found.loc[("A", "C"), "low"] == pytest.approx(differences(of).low[0, 2])
    assert found.loc[("C", "B"), "p_corrected"] == pytest.approx(significance(of).corrected[2, 1])
    assert len(found) == 6
    squares = values[:, :, None] + values[:, None, :] + 0.01 * np.random.default_rng(1).normal(size=(3, 8, 8))
    paired = isogloss.compare_models(dict(zip("ABC", squares, strict=True))).set_index(["first", "second"])
    of = of_pairs((squares + np.swapaxes(squares, 1, 2)) / 2)
    assert paired.loc[("B", "A"), "value"] == pytest.approx(of.value[1] - of.value[0])
    assert paired.loc[("B", "A"), "p"] == pytest.approx(significance(of).p[1, 0])


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "there are none"),
        ({"A": [1.0, 2.0], "B": [1.0]}, r"A \[2\], B \[1\]"),
        ({"A": np.zeros((2, 3)), "B": np.zeros((2, 3))}, r"\[languages, languages\]: A \[2, 3\]"),
        ({"A": {"de": 1.0}, "B": {"fi": 2.0}}, "No two models have a language in common"),
        ({"A": [1.0, 2.0]}, "No two models"),
        ({"A": {"de": "good"}}, "'de' of 'A' must be numbers"),
        ({"A": ["x"], "B": ["y"]}, "Numbers of 'A' must be numbers"),
    ],
)
def test_what_cannot_be_ranked_is_said(values: Any, sentence: str) -> None:
    with pytest.raises(isogloss.SpecError, match=sentence):
        isogloss.rank_models(values)


def test_a_direction_that_is_none_is_said() -> None:
    with pytest.raises(isogloss.SpecError, match="no direction 'up'"):
        isogloss.rank_models({"A": [1.0], "B": [2.0]}, better="up")  # type: ignore[arg-type]
