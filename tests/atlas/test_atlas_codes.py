"""Scores in 16 bits: near enough, and in three decimals what the dashboard prints."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.atlas.quantised import LEVELS, MISSING, Scale, bounds, codes, packed, scale_of
from isogloss.backend.charts.parts.text import number
from tests.atlas.atlas_workspace import bound, unpacked, values

SCORES = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.0625, 0.9375, 0.5, 0.0005, 0.9995, 0.12349999, 0.1235, float("nan")])


@given(st.lists(SCORES, min_size=1, max_size=50))
def test_a_code_is_within_a_step_and_reads_as_the_dashboard_does(scores: list[float]) -> None:
    exact, scale = np.array(scores), Scale()
    found = values(codes(exact, scale), scale)
    assert (np.isnan(found) == np.isnan(exact)).all()
    for one, other in zip(exact[~np.isnan(exact)].tolist(), found[~np.isnan(exact)].tolist(), strict=True):
        assert abs(np.float32(one) - other) <= scale.step * (1 + 1e-9)
        assert number(float(np.float32(one))) == number(other)


def test_nearly_all_codes_are_the_nearest() -> None:
    exact = np.random.default_rng(0).uniform(0, 1, 20_000)
    apart = np.abs(values(codes(exact, Scale()), Scale()) - exact)
    assert (apart <= Scale().step * 0.501).mean() > 0.97
    assert (apart > Scale().step * 0.501).any()  # and some are moved, or the test above would hold of rounding alone


@pytest.mark.parametrize(
    ("ends", "scale"),
    [
        ([0.2, 0.9], Scale()),
        ([], Scale()),
        ([-0.5, 2.0], Scale(-0.5, 2.0)),
        ([3.0, 3.0], Scale(3.0, 4.0)),
        ([np.nan, 0.5], Scale()),
    ],
)
def test_a_scale_is_that_of_shares_where_it_can_be(ends: list[float], scale: Scale) -> None:
    assert scale_of(ends) == scale


def test_the_ends_of_a_scale_and_what_is_not_finite_have_their_codes() -> None:
    exact = np.array([-0.5, 2.0, np.nan, np.inf])
    assert codes(exact, Scale(-0.5, 2.0)).tolist() == [0, LEVELS, MISSING, MISSING]


@given(st.lists(st.tuples(SCORES, SCORES, SCORES), min_size=1, max_size=20))
def test_bounds_read_as_the_dashboard_does_wherever_they_lie(scores: list[tuple[float, float, float]]) -> None:
    reads_alike(np.array(scores), Scale())


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6) | st.just(float("nan"))] * 3), min_size=2, max_size=20))
def test_bounds_of_a_wide_scale_read_alike_in_its_decimals(scores: list[tuple[float, float, float]]) -> None:
    exact = np.float32(scores).astype(float)
    if np.isfinite(exact).any():
        reads_alike(exact, scale_of([np.nanmin(exact), np.nanmax(exact) + 2]))


def reads_alike(exact: np.ndarray, scale: Scale) -> None:
    value, low, high = exact.T
    own = codes(value, scale)
    for sign, of, apart in zip((-1, 1), (low, high), bounds(low, high, own, scale), strict=True):
        for code, one, far in zip(own, of, apart, strict=True):
            read = bound(int(code), int(far), sign, scale)
            assert np.isnan(read) == np.isnan(one)
            if not np.isnan(one):
                shown = scale.read(float(np.float32(one)))
                assert scale.read(read) == (shown if float(shown) else scale.read(0.0))


@given(st.lists(st.integers(0, 65_535), max_size=40))
def test_what_is_packed_is_unpacked(numbers: list[int]) -> None:
    text = packed(np.array(numbers, np.uint16))
    assert unpacked(text).tolist() == numbers
    whole = zlib.decompress(base64.b64decode(text))  # as slowly as can be: low bytes, then high ones
    assert [whole[i] + 256 * whole[len(numbers) + i] for i in range(len(numbers))] == numbers
