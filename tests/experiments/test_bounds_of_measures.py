"""What measures say of the least and greatest value that they can have: held by every score of the demo, and by intervals."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.backend.experiments.registry import MEASURES, bounds_of
from isogloss.backend.metrics.intervals import bounds_of_difference, within

NUMBERS = st.floats(-3, 3)


def test_no_score_of_the_demo_lies_beyond_its_measures_bounds() -> None:
    known = isogloss.scores(own=False).dropna(subset=["value"]).groupby("metric")["value"].agg(["min", "max"])
    stated = 0
    for metric, least, most in known.itertuples():
        low, high = bounds_of(metric)
        assert low is None or least >= low - 1e-9, metric
        assert high is None or most <= high + 1e-9, metric
        stated += (low, high) != (None, None)
    assert stated > 20


def test_shares_end_at_0_and_1() -> None:
    shares = {metric for metric, each in MEASURES.items() if each.unit.startswith("share of")} - {"igap", "transfer_gap"}
    assert {metric for metric in shares if bounds_of(metric) != (0.0, 1.0)} <= {"abx_language_sd", "abx_meaning_sd"}
    assert bounds_of("of another tool") == (None, None)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_what_is_cut_off_never_held_the_truth(low: float, high: float, least: float, most: float, truth: float) -> None:
    low, high = sorted((low, high))
    least, most = sorted((least, most))
    truth = min(max(truth, least), most)
    begin, end = within(low, high, (least, most))
    assert (begin <= truth <= end) == (low <= truth <= high) or begin == end == truth


def test_differences_and_open_ends() -> None:
    assert bounds_of_difference((0.0, 1.0)) == (-1.0, 1.0)
    assert bounds_of_difference((0.0, 100.0)) == (-100.0, 100.0)
    assert bounds_of_difference((0.0, None)) == (None, None)
    low, high = within([-1.0, math.nan], [9.0, 1.0], (0.0, None))
    np.testing.assert_array_equal(low, [0.0, math.nan])
    np.testing.assert_array_equal(high, [9.0, 1.0])
