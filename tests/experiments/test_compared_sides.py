"""What every family's comparison rests on: whose rows are a side, intervals within what can be, means of groups, by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy

from isogloss.backend import recipe_mark
from isogloss.backend.experiments.compared import SIDE, corrected, difference, of_groups, sides_of, with_paired
from isogloss.backend.metrics.many_tests import benjamini_hochberg


def rows(first: tuple[float, float, float], second: tuple[float, float, float]) -> pd.DataFrame:
    ends = pd.DataFrame([first, second], columns=["value", "low", "high"])
    return ends.assign(layer=1, checkpoint=["a", "b"], **{SIDE: ["A", "B"]})


def test_a_side_is_the_rows_of_its_checkpoints_as_they_were_chosen() -> None:
    labels = [("m", "1"), ("m", "2"), ("n", "1"), ("o", "1"), ("n", "2")]
    frame = pd.DataFrame(labels, columns=["model", "label"]).assign(value=range(5), checkpoint="one that all share")
    found = sides_of(frame, {"A": [("n", "1"), ("o", "1")], "B": [("m", "2")]})
    assert list(zip(found[SIDE], found["model"], found["value"], strict=True)) == [("B", "B", 1), ("A", "A", 2), ("A", "A", 3)]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [((0.0, 1.0), (-1.0, 1.0)), ((-1.0, 1.0), (-2.0, 1.7)), ((0.0, None), (-2.4, 1.7)), ((None, None), (-2.4, 1.7))],
)
def test_an_interval_ends_where_a_difference_of_the_measure_does(
    bounds: tuple[float | None, float | None], expected: tuple[float, float]
) -> None:
    [row] = difference(rows((0.1, -1.0, 0.9), (0.3, -0.8, 1.4)), keys=["layer"], names=["A", "B"], bounds=bounds).to_dict(
        "records"
    )
    assert row["difference"] == pytest.approx(-0.2)
    assert (row["low"], row["high"]) == pytest.approx(expected)


def test_a_row_without_a_paired_interval_keeps_its_own() -> None:
    found = difference(
        pd.concat([rows((0.5, 0.4, 0.6), (0.4, 0.3, 0.5)).assign(layer=each) for each in (0, 1)]),
        keys=["layer"],
        names=["A", "B"],
    )
    paired = with_paired(found, [0.05, np.nan], [0.15, np.nan], 9)
    assert paired["interval"].tolist() == ["paired", "widest"]
    assert paired["freedom"].tolist() == pytest.approx([9, np.nan], nan_ok=True)
    assert paired["low"].tolist() == pytest.approx([0.05, found["low"][1]])
    quantile = scipy.stats.t.ppf(0.975, 9)
    expected = 2 * scipy.stats.t.sf(quantile * 0.1 / 0.05, 9)
    assert corrected(paired)["p"][0] == pytest.approx(expected)


def test_groups_of_values_of_languages_themselves_have_students_interval_and_p() -> None:
    draw = np.random.default_rng(3)
    value = draw.normal(0.1, 0.2, (6, 3))
    value[1, 2] = np.nan
    value[3:5, 1] = 0.25  # equal: no error at all
    value[5, 0] = np.nan
    own_p = np.full((6, 3), 0.2)
    members = [[0, 1, 2], [3, 4], [5]]
    low, high, p = of_groups((value, value, value), own_p, members, (None, None), over_pairs=False)
    expected = np.full((3, 3), np.nan)
    for group, own in enumerate(members[:2]):
        for column in range(3):
            known = value[own, column][np.isfinite(value[own, column])]
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                found = scipy.stats.ttest_1samp(known, 0)
            expected[group, column] = found.pvalue
            ends = found.confidence_interval()
            assert (low[group, column], high[group, column]) == pytest.approx((ends.low, ends.high))
    expected[2] = 0.2
    assert p == pytest.approx(benjamini_hochberg(expected), nan_ok=True)
    assert p[1, 1] == 0
    assert low[2] == pytest.approx(value[5], nan_ok=True)
    unknown = np.full_like(value, np.nan)  # without intervals of their own nothing comes on top
    again = of_groups((value, unknown, unknown), own_p, members, (None, None), over_pairs=False)
    np.testing.assert_array_equal(again[0][:2], low[:2])


@pytest.mark.parametrize("over_pairs", [True, False])
def test_what_languages_own_intervals_are_over_comes_on_top(over_pairs: bool) -> None:
    """The mean of their distances to their farther ends, by squares; p is that of the interval that just reaches 0."""
    draw = np.random.default_rng(5)
    value = draw.normal(0.15, 0.1, (7, 4))
    value[4] = value[6]  # of two that are equal no spread is seen
    below, above = draw.uniform(0.01, 0.2, (2, 7, 4))
    members = [[0, 1, 2, 3], [4, 6]]
    own_p = np.ones((7, 4))
    low, high, _ = of_groups((value, value - below, value + above), own_p, members, (None, None), over_pairs=over_pairs)
    plain = of_groups((value, value, value), own_p, members, (None, None), over_pairs=over_pairs)
    for group, own in enumerate(members):
        half = np.hypot((plain[1] - plain[0])[group] / 2, np.maximum(below, above)[own].mean(axis=0))
        np.testing.assert_allclose(high[group] - low[group], 2 * half, rtol=1e-5)
        np.testing.assert_allclose((high + low)[group] / 2, value[own].mean(axis=0), atol=1e-9)
    outside = (low > 0) | (high < 0)
    assert 0 < outside.sum() < outside.size
    for column in range(4):
        one = (value[:, [column]], (value - below)[:, [column]], (value + above)[:, [column]])
        for group, own in enumerate(members):
            single = of_groups(one, own_p[:, :1], [own], (None, None), over_pairs=over_pairs)[2][0, 0]
            assert (single < 0.05) == outside[group, column]


def test_equal_sides_are_not_told_by_many_languages_of_the_same_sentences() -> None:
    """What sentences do to a difference is the same in all languages: over these alone half of the trials tell one."""
    draw, told, n = np.random.default_rng(6), [], 300
    for _ in range(60):
        easy = 1 + draw.standard_normal(n)
        right = [draw.random((40, n)) < 1 / (1 + np.exp(-easy - draw.standard_normal(n))) for _ in range(2)]
        apart = right[0].astype(float) - right[1]
        value, half = apart.mean(axis=1)[:, None], 1.96 * apart.std(axis=1, ddof=1)[:, None] / np.sqrt(n)
        each = [
            of_groups((value, value - width, value + width), np.ones((40, 1)), [range(40)], over_pairs=False)[2]
            for width in (half, 0 * half)
        ]
        told.append([float(p[0, 0]) < 0.05 for p in each])
    with_sentences, without = np.mean(told, axis=0)
    assert with_sentences <= 0.05
    assert without > 0.25


def test_what_has_moved_is_found_where_it_was() -> None:
    assert len(recipe_mark.MOVED) == 3
    for before, now in recipe_mark.MOVED.items():
        found = recipe_mark.marked(before)
        assert found is not None
        assert recipe_mark.name_of(found) == now
