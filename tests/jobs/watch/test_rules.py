"""Rules of a watch: what is read of a line, what is refused in words, and when one holds."""

from __future__ import annotations

import math

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.changes import Change
from isogloss.backend.jobs.watch import rules


def test_the_sentence_of_the_readme_is_understood() -> None:
    rule = rules.parse(
        "Tell me when meaning discrimination of layers 6 to 9 falls by more than its interval from one checkpoint to the next.",
        "abx",
    )
    assert (rule.metric, rule.layers, rule.how, rule.than) == ("abx_meaning", (6, 7, 8, 9), "falls", None)
    assert rule.what == "Meaning discrimination of layers 6 to 9"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("language discrimination of layer 4 rises by more than 0.05", ("abx_language", (4,), "rises", 0.05)),
        ("abx_meaning is below 0.7", ("abx_meaning", None, "below", 0.7)),
        ("Retrieval top-1 of layers 2-3 is above 0.9", ("retrieval_top1", (2, 3), "above", 0.9)),
    ],
)
def test_other_forms(text: str, expected: tuple[object, ...]) -> None:
    rule = rules.parse(text, "abx")
    assert (rule.metric, rule.layers, rule.how, rule.than) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("meaning discrimination", "Write: MEASURE"),
        ("meaning discriminaton is below 0.7", "Meaning discrimination"),
        ("meaning discrimination of layers 9 to 6 is below 0.7", "lower one first"),
        ("meaning discrimination is below 0.7; rm -rf /", "not understood"),
        ("x" * 5000, "not understood"),
    ],
)
def test_what_is_not_understood_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        rules.parse(text, "abx")


def change(low: float, high: float, difference: float = -0.1) -> Change:
    return Change(0.9, 0.9 + difference, low, high, paired=True)


def test_a_fall_counts_where_its_whole_interval_is_one() -> None:
    falls = rules.parse("meaning discrimination falls by more than its interval", "abx")
    rises = rules.parse("meaning discrimination rises by more than its interval", "abx")
    assert rules._moved(falls, change(-0.15, -0.05))
    assert not rules._moved(falls, change(-0.21, 0.01))
    assert not rules._moved(rises, change(-0.15, -0.05))
    assert rules._moved(rises, change(0.05, 0.15, 0.1))
    assert not rules._moved(falls, change(math.nan, math.nan))


def test_a_fall_by_a_number_needs_no_interval() -> None:
    rule = rules.parse("meaning discrimination falls by more than 0.05", "abx")
    assert rules._moved(rule, change(math.nan, math.nan))
    assert not rules._moved(rule, change(-0.2, -0.1, -0.04))
    assert not rules._moved(rule, change(0.0, 0.2, 0.1))
