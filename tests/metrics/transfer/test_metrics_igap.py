"""IGap against the paper's text taken record by record in fractions, with windows whose edges are hit exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.backend.metrics.transfer.igap import decompose, igap, igap_curve, igap_record, matters, transfer_gap, window_sizes
from tests.metrics.transfer.igap_by_hand import Record, igap_by_hand

POINTS = tuple(f"0.{k * 25:03d}" for k in range(9))
"""Figure 1's: 0, 0.025, … 0.2."""


def exactly(errors: list[list[int]], n: int) -> list[Record]:
    return [(Fraction(row[0], n), [Fraction(count, n) for count in row[1:]]) for row in errors]


def floats(errors: list[list[int]], n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Training errors and gaps of one run, as a program has them."""
    shares = np.array(errors) / n
    return shares[:, 0], decompose(shares[:, 0], shares[:, 1:], shares[:, 1:]).inter


@st.composite
def records(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Counts of errors, the training one first, out of n: round numbers, so that edges are hit, and others."""
    n = draw(st.sampled_from([1, 3, 7, 10, 40, 200, 1000, 2490, 7500]))
    languages = draw(st.integers(1, 4))
    top = max(1, n // draw(st.sampled_from([1, 3])))
    row = st.tuples(st.integers(0, top), *[st.integers(0, n)] * languages).map(list)
    return draw(st.lists(row, min_size=1, max_size=12)), n


@given(
    records(), st.sampled_from([*POINTS, "0.1", "0.3", "0.7", "0.003"]), st.sampled_from(["0.001", "0.025", "0.05", "0.2", "1"])
)
@example(([[300, 500], [100, 700]], 1000), "0.1", "0.2")
@example(([[0, 5], [1, 4]], 1000), "0", "0.001")
def test_igap_is_the_papers_and_its_record_is_the_one_that_has_it(
    counted: tuple[list[list[int]], int], at: str, epsilon: str
) -> None:
    wanted = igap_by_hand(exactly(*counted), Fraction(at), Fraction(epsilon))
    train, gaps = floats(*counted)
    found = igap(train, gaps, float(at), float(epsilon))
    behind = igap_record(train, gaps, float(at), float(epsilon))
    assert found.shape == behind.shape == (gaps.shape[1],)
    for language, value in enumerate(wanted):
        if value is None:
            assert math.isnan(found[language])
            assert behind[language] == -1
            continue
        assert found[language] == pytest.approx(float(value), abs=1e-15)
        inside = [train - Fraction(at) for train, _ in exactly(*counted)]
        same = [
            k
            for k, (error, others) in enumerate(exactly(*counted))
            if 0 <= inside[k] < Fraction(epsilon) and others[language] - error == value
        ]
        assert behind[language] == same[0]


@given(records(), st.sampled_from(["0.025", "0.05"]))
def test_a_curve_is_its_points_in_any_order(counted: tuple[list[list[int]], int], epsilon: str) -> None:
    train, gaps = floats(*counted)
    for order in (POINTS, POINTS[::-1], (POINTS[3], POINTS[0], POINTS[3])):
        curve = igap_curve(train, gaps, [float(point) for point in order], float(epsilon))
        assert curve.shape == (len(order), gaps.shape[1])
        for row, point in zip(curve, order, strict=True):
            wanted = igap_by_hand(exactly(*counted), Fraction(point), Fraction(epsilon))
            np.testing.assert_allclose(row, [math.nan if each is None else float(each) for each in wanted], atol=1e-15)


@pytest.mark.parametrize(
    ("error", "at", "epsilon", "inside"),
    [
        (0.3, 0.1, 0.2, False),  # 0.3 - 0.1 < 0.2 as floats, and 0.1 + 0.2 > 0.3
        (0.1 + 0.2, 0.3, 0.025, True),
        (0.1 + 0.2, 0.2, 0.1, False),
        (1 - 0.9, 0.1, 0.025, True),  # 1 - 0.9 is less than 0.1
        (0.0, 0.0, 0.001, True),
        (1 / 1000, 0.0, 0.001, False),
        (0.225, 0.2, 0.025, False),
        (0.2, 0.2, 0.025, True),
        (-0.1 + 0.1, 0.0, 0.025, True),
        (249_999 / 1_000_000, 0.25, 0.025, False),
        (274_999 / 1_000_000, 0.25, 0.025, True),
    ],
)
def test_a_model_exactly_on_an_edge(error: float, at: float, epsilon: float, inside: bool) -> None:
    found = igap([error], [[0.5]], at, epsilon)
    assert found[0] == 0.5 if inside else math.isnan(found[0])
    assert matters(error, at, epsilon) == inside
    assert window_sizes([error], [[0.5]], [at], epsilon).models[0, 0] == inside


def test_points_made_by_adding_up_have_the_same_edges() -> None:
    train = np.arange(0, 9) * 5 / 200
    added = np.cumsum(np.full(9, 0.025)) - 0.025
    assert any(added != train)
    np.testing.assert_array_equal(igap_curve(train, train[:, None], added, 0.025)[:, 0], train)


def test_an_empty_window_is_nan_and_never_zero() -> None:
    curve = igap_curve([0.0, 0.1], [[0.4, 0.5], [0.2, 0.6]], [0.0, 0.05, 0.1, math.nan, 0.9], 0.025)
    np.testing.assert_array_equal(curve, [[0.4, 0.5], [math.nan] * 2, [0.2, 0.6], [math.nan] * 2, [math.nan] * 2])


def test_of_records_with_equal_gaps_the_first_is_the_one_behind() -> None:
    train, gaps = [0.0, 0.1, 0.05], [[0.2], [0.3 - 0.1], [0.5]]
    assert gaps[0][0] > gaps[1][0]
    assert igap_record(train, gaps, 0.0, 0.2).tolist() == [0]


def test_no_points_no_records_and_gaps_below_zero() -> None:
    assert igap_curve([0.1], [[0.2, 0.3]], [], 0.025).shape == (0, 2)
    assert np.isnan(igap(np.empty((3, 0)), np.empty((3, 0, 2)), 0.0, 0.025)).all()
    assert igap_record(np.empty((3, 0)), np.empty((3, 0, 2)), 0.0, 0.025).tolist() == [-1, -1]
    assert igap([0.1, 0.11], [[0.2], [-0.05]], 0.1, 0.025).tolist() == [-0.05]


def test_a_source_without_another_language_has_no_gap() -> None:
    none = np.zeros((3, 0))
    assert igap_curve([0.1, 0.2, 0.3], none, [0.0, 0.1], 0.1).shape == (2, 0)
    assert igap_record([0.1, 0.2, 0.3], none, 0.0, 0.1).shape == (0,)
    assert window_sizes([0.1, 0.2, 0.3], none, [0.0], 0.1).models.shape == (1, 0)


def test_runs_of_unequal_length_are_padded_with_nan() -> None:
    train = np.array([[0.2, 0.0], [0.01, math.nan]])
    gaps = np.array([[[0.1], [0.4]], [[0.3], [math.nan]]])
    assert igap(train, gaps, 0.0, 0.025).tolist() == [0.3]
    assert igap_record(train, gaps, 0.0, 0.025).tolist() == [2]
    sizes = window_sizes(train, gaps, [0.0], 0.025)
    assert sizes.models.tolist() == sizes.measured.tolist() == [[2]]


def test_a_gap_that_was_not_measured_leaves_igap_unknown_in_that_language_alone() -> None:
    train, gaps = [0.0, 0.01, 0.5], [[0.3, 0.3], [math.nan, 0.2], [math.nan, math.nan]]
    np.testing.assert_array_equal(igap(train, gaps, 0.0, 0.025), [math.nan, 0.2])
    assert igap_record(train, gaps, 0.0, 0.025).tolist() == [-1, 1]
    sizes = window_sizes(train, gaps, [0.0, 0.5, 0.7], 0.025)
    assert sizes.models.tolist() == [[2, 2], [1, 1], [0, 0]]
    assert sizes.measured.tolist() == [[1, 2], [0, 0], [0, 0]]
    np.testing.assert_array_equal(igap(train, gaps, 0.0, 0.005), [0.3, 0.3])


def test_languages_with_examples_of_their_own_have_windows_of_their_own() -> None:
    train = np.array([[0.0, 0.1], [0.1, 0.0]])
    gaps = np.array([[0.1, 0.2], [0.3, 0.4]])
    assert igap(train, gaps, 0.0, 0.025).tolist() == [0.1, 0.4]
    assert igap_record(train, gaps, 0.0, 0.025).tolist() == [0, 1]
    np.testing.assert_array_equal(
        igap(np.repeat([[0.0], [0.1]], 2, axis=1), gaps, 0.0, 0.025), igap([0.0, 0.1], gaps, 0.0, 0.025)
    )


@given(records(), st.lists(st.sampled_from(POINTS), min_size=1, max_size=4), st.sampled_from(["0.001", "0.025", "0.05"]))
@example(([[300, 500]], 1000), ["0.1"], "0.2")
@example(([[100, 500]], 1000), ["0.1"], "0.025")
def test_records_that_do_not_matter_are_exactly_those_that_lie_in_no_window(
    counted: tuple[list[list[int]], int], windows: list[str], epsilon: str
) -> None:
    train, gaps = floats(*counted)
    points = [float(point) for point in windows]
    needed = matters(train, points, float(epsilon))
    assert needed.tolist() == [
        any(0 <= error - Fraction(at) < Fraction(epsilon) for at in windows) for error, _ in exactly(*counted)
    ]
    evaluated = np.where(needed[:, None], gaps, np.nan)
    full = igap_curve(train, gaps, points, float(epsilon))
    np.testing.assert_array_equal(igap_curve(train, evaluated, points, float(epsilon)), full)
    sizes = window_sizes(train, evaluated, points, float(epsilon))
    np.testing.assert_array_equal(sizes.measured, sizes.models)
    for row, at in zip(sizes.models, windows, strict=True):
        wanted = sum(0 <= error - Fraction(at) < Fraction(epsilon) for error, _ in exactly(*counted))
        assert row.tolist() == [wanted] * gaps.shape[1]


def test_matters_keeps_the_shape_and_nan_matters_nowhere() -> None:
    assert matters([[0.0, 0.5], [0.1, math.nan]], [0.0, 0.1], 0.025).tolist() == [[True, False], [True, False]]
    assert matters([0.0, 0.1], [math.nan], 0.025).tolist() == [False, False]
    assert matters([0.0], [], 0.025).tolist() == [False]


@given(st.integers(1, 10_000), st.integers(1, 10_000), st.data())
def test_counts_decompose_exactly_and_shares_to_the_very_count(n: int, m: int, data: st.DataObject) -> None:
    train, translated = (data.draw(st.integers(0, n)) for _ in range(2))
    target = data.draw(st.integers(0, m))
    counts = decompose([train * m], [[translated * m]], [[target * n]])
    assert counts.target.dtype == np.int64
    assert counts.target.tolist() == [[target * n]]
    assert (counts.train.item(), counts.inter.item()) == (train * m, (translated - train) * m)
    assert Fraction(counts.intra.item(), n * m) == Fraction(target, m) - Fraction(translated, n)

    shares = decompose([train / n], [[translated / n]], [[target / m]])
    assert abs(shares.target.item() - target / m) <= 2**-51
    assert round(shares.target.item() * m) == target
    assert shares.inter.item() == pytest.approx(float(Fraction(translated - train, n)), abs=1e-15)
    assert shares.intra.item() == pytest.approx(float(Fraction(target, m) - Fraction(translated, n)), abs=1e-15)


def test_the_parts_have_the_full_shape_and_nan_stays_where_it_enters() -> None:
    train = np.array([[0.25, 0.0]])
    translated = np.array([[[0.5, 0.25], [math.nan, 1.0]]])
    target = np.array([[[0.75, math.nan], [0.5, 0.5]]])
    parts = decompose(train, translated, target)
    np.testing.assert_array_equal(parts.train, [[[0.25, 0.25], [0.0, 0.0]]])
    np.testing.assert_array_equal(parts.inter, [[[0.25, 0.0], [math.nan, 1.0]]])
    np.testing.assert_array_equal(parts.intra, [[[0.25, math.nan], [math.nan, -0.5]]])
    assert decompose(0.25, 0.5, 0.75).target == 0.75


def test_unsigned_counts_do_not_wrap() -> None:
    parts = decompose(np.array([5], np.uint16), np.array([[3]], np.uint16), np.array([[1]], np.uint16))
    assert (parts.inter.item(), parts.intra.item(), parts.target.item()) == (-2, -2, 1)


def test_the_transfer_gap_is_positive_where_the_target_is_worse() -> None:
    errors = np.array([[0.25, 0.5, 0.125], [0.75, 0.5, math.nan]])
    gap = transfer_gap(errors[[0, 1], [0, 1]], errors)
    np.testing.assert_array_equal(gap, [[0.0, 0.25, -0.125], [0.25, 0.0, math.nan]])
    np.testing.assert_array_equal(transfer_gap(1 - errors, np.repeat(1 - errors[[0, 1], [0, 1]], 3).reshape(2, 3)), gap)
    assert transfer_gap(0.25, 0.75) == 0.5


@pytest.mark.parametrize("epsilon", [0.0, -0.1, math.nan, math.inf])
def test_a_window_without_width_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        igap([0.0], [[0.1]], 0.0, epsilon)
    with pytest.raises(ValueError, match="epsilon"):
        matters([0.0], [0.0], epsilon)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="axis of records and one of languages"):
        igap([0.1, 0.2], [0.1, 0.2], 0.1, 0.025)
    with pytest.raises(ValueError, match="train_error"):
        igap([0.1], [[0.1], [0.2]], 0.1, 0.025)
    with pytest.raises(ValueError, match="train_error"):
        igap(np.zeros((2, 3)), np.zeros((3, 2, 1)), 0.1, 0.025)
    with pytest.raises(ValueError, match="train_error"):
        decompose([0.1, 0.2], [[0.1, 0.2, 0.3]], [[0.1, 0.2, 0.3]])
    with pytest.raises(ValueError, match="differ in shape"):
        decompose([0.1], [[0.1]], [[0.1, 0.2]])
    with pytest.raises(ValueError, match="source_error"):
        transfer_gap([0.1, 0.2, 0.3], [[0.1, 0.2]])


def test_narrow_floats_are_refused_since_their_edges_are_not_exact() -> None:
    narrow = np.array([0.1], np.float32)
    for call in (
        lambda: igap(narrow, [[0.1]], 0.1, 0.025),
        lambda: matters(narrow, [0.1], 0.025),
        lambda: decompose(narrow, [[0.1]], [[0.1]]),
    ):
        with pytest.raises(ValueError, match="float64"):
            call()
