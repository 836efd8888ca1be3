"""Many languages collapse to a row a group, its mean over the languages that have a score, and open again."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from isogloss.backend.charts.grid import Grid
from isogloss.backend.charts.languages import PINNED
from isogloss.backend.figures.collapsed import collapsed, drawn_rows
from isogloss.backend.figures.languages import language_cells, language_table

TAGS = ["de", "en", "fi", "hu", "ja", "ru"]
SCORES = {
    "de": (0.5, 0.1),
    "en": (0.7, math.nan),
    "fi": (0.2, math.nan),
    "hu": (0.4, math.nan),
    "ja": (0.9, 0.8),
    "ru": (0.3, 0.3),
}


def cells(order: str, *pinned: str) -> Grid:
    rows = pd.DataFrame(
        [
            {"language": tag, "layer": layer, "value": value, "low": value - 0.01, "high": value + 0.01, "n": 9}
            for tag, both in SCORES.items()
            for layer, value in enumerate(both)
        ]
    )
    return language_cells(rows, TAGS, {0: "0", 1: "1"}, order, pinned, row="language", column="layer", title="")  # type: ignore[arg-type]


def test_a_row_a_family_is_the_mean_of_its_languages_that_have_a_score() -> None:
    found = collapsed(cells("family"), TAGS, "family", [])
    assert found.row_labels == ("+ Indo-European (3)", "+ Japonic (1)", "+ Uralic (2)")
    own = [0.5, 0.7, 0.3]
    half = stats.t.ppf(0.975, 2) * statistics.stdev(own) / math.sqrt(3)
    assert found.values[:, 0].tolist() == pytest.approx([0.5, 0.9, 0.3])
    assert found.low is not None
    assert found.high is not None
    assert found.notes is not None
    assert [found.low[0, 0], found.high[0, 0]] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-6)
    assert found.values[:, 1].tolist() == pytest.approx([0.2, 0.8, math.nan], nan_ok=True)
    assert found.notes[0] == ("mean of 3 of 3 languages", "mean of 2 of 3 languages")
    assert found.missing.tolist() == [[False, False], [False, False], [False, True]]
    assert found.notes[2][1] == ""


def test_a_mean_of_means_over_pairs_counts_that_languages_are_partners_of_each_other() -> None:
    """What a language adds goes into its own mean and, by 1/4 of it, into that of each of the other five."""
    found = collapsed(cells("family"), TAGS, "family", [], over_pairs=True)
    assert found.low is not None
    assert found.high is not None
    own, others = [0.5, 0.7, 0.3], [0.2, 0.4, 0.9]
    variance = statistics.variance(own) * (1 + 3 / 4) ** 2 / 3 + 3 * statistics.variance(others) / 4**2
    half = stats.t.ppf(0.975, 2) * math.sqrt(variance)
    assert found.values[0, 0] == pytest.approx(0.5)
    assert [found.low[0, 0], found.high[0, 0]] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-6)
    np.testing.assert_array_equal(found.values, collapsed(cells("family"), TAGS, "family", []).values)


def test_intervals_of_means_end_where_the_measure_does() -> None:
    plain, cut = collapsed(cells("family"), TAGS, "family", []), collapsed(cells("family"), TAGS, "family", [], (0.0, 1.0))
    for whole, within in ((plain.low, cut.low), (plain.high, cut.high)):
        assert whole is not None
        np.testing.assert_array_equal(within, np.clip(whole, 0, 1))
    assert plain.low is not None
    assert plain.low[2, 0] < 0  # of two languages
    np.testing.assert_array_equal(plain.values, cut.values)


def test_a_family_of_one_is_that_language_with_its_own_interval() -> None:
    found = collapsed(cells("family"), TAGS, "family", [])
    assert found.low is not None
    assert found.n is not None
    assert found.notes is not None
    assert (found.low[1, 0], found.n[1, 0], found.notes[1][0]) == (pytest.approx(0.89), 9, "Japanese")


def test_an_open_family_has_its_languages_below_it_as_they_were() -> None:
    whole, found = cells("family"), collapsed(cells("family"), TAGS, "family", ["Uralic"])
    assert found.row_labels == ("+ Indo-European (3)", "+ Japonic (1)", "− Uralic (2)", "Finnish", "Hungarian")
    np.testing.assert_array_equal(found.values[3:], whole.values[-2:])
    np.testing.assert_array_equal(found.n[3:], whole.n[-2:])  # type: ignore[index]
    assert drawn_rows(TAGS, "family", ["Uralic"]) == [
        ("Indo-European", None),
        ("Japonic", None),
        ("Uralic", None),
        ("Uralic", "fi"),
        ("Uralic", "hu"),
    ]


@pytest.mark.parametrize("order", ["name", "family", "genus", "script", "region", "resource level", "clustering", "value"])
@pytest.mark.parametrize("pinned", [("ru", "fi"), ("ja",), ("fi", "fi", "no such"), tuple(TAGS)])
def test_what_is_pinned_stands_first_in_any_order_and_the_rest_as_before(order: str, pinned: tuple[str, ...]) -> None:
    before, found = cells(order), cells(order, *pinned)
    names = language_table(TAGS).set_index("tag")["name"]
    first = [names[tag] for tag in dict.fromkeys(pinned) if tag in TAGS]
    expected = [*first, *(name for name in before.row_labels if name not in first)]
    assert list(found.row_labels) == expected
    for name in expected:
        own, was = expected.index(name), before.row_labels.index(name)
        np.testing.assert_array_equal(found.values[own], before.values[was])
        if before.row_groups is not None:
            assert found.row_groups is not None
            assert found.row_groups[own] == (PINNED if name in first else before.row_groups[was])


def test_what_is_pinned_is_seen_where_its_group_is_closed_and_counts_in_its_mean() -> None:
    found, before = (collapsed(cells("family", *pinned), TAGS, "family", [], (None, None), pinned) for pinned in (("ru",), ()))
    assert found.row_labels == ("Russian", *before.row_labels)
    np.testing.assert_array_equal(found.values[1:], before.values)
    np.testing.assert_array_equal(found.low[1:], before.low[:])  # type: ignore[index]
    assert found.values[0].tolist() == pytest.approx([0.3, 0.3])
    shown = collapsed(cells("family", "ru"), TAGS, "family", ["Indo-European"], (None, None), ["ru"])
    assert shown.row_labels == ("Russian", "− Indo-European (3)", "English", "German", "+ Japonic (1)", "+ Uralic (2)")


@pytest.mark.parametrize("opened", [[], ["no such family"], ["Japonic", "Uralic", "Indo-European"]])
def test_rows_said_are_rows_drawn(opened: list[str]) -> None:
    for order in ("family", "genus", "script", "region", "resource level"):
        found = collapsed(cells(order), TAGS, order, opened)  # type: ignore[arg-type]
        assert len(found.row_labels) == len(drawn_rows(TAGS, order, opened) or ())  # type: ignore[arg-type]
        assert len(set(found.row_labels)) == len(found.row_labels)


def test_nothing_collapses_in_an_order_without_groups_or_where_it_is_not_asked() -> None:
    for order, opened in (("name", []), ("clustering", []), ("value", []), ("family", None)):
        whole = cells(order)
        assert collapsed(whole, TAGS, order, opened) is whole  # type: ignore[arg-type]
