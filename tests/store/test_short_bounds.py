"""Bounds to sixteen bits: never a narrower interval, and nothing else is touched."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.store import older, scores
from isogloss.backend.store.short_bounds import BITS, with_short_bounds

ODD = [math.nan, math.inf, -math.inf, 1e300, 0.0, 0.5, 1.0]
NUMBERS = st.one_of(st.none(), st.floats(-1e30, 1e30), st.sampled_from(ODD), st.floats(0, 1))
KIND = pa.schema([("value", pa.float64()), ("low", pa.float64()), ("high", pa.float64())])


def rows(of: list[tuple[float | None, float | None, float | None]]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(KIND.names, each, strict=True)) for each in of], KIND)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=20))
def test_bounds_are_the_nearest_short_number_outwards(of: list[tuple[float | None, float | None, float | None]]) -> None:
    found = with_short_bounds(rows(of)).to_pylist()
    for (value, *bounds), row in zip(of, found, strict=True):
        assert row["value"] == value or math.isnan(row["value"])
        for name, bound, sign in zip(("low", "high"), bounds, (-1, 1), strict=True):
            own = row[name]
            if bound is None or not math.isfinite(bound) or bound == value:
                assert own == bound or (math.isnan(own) and math.isnan(bound))
            else:
                assert sign * own >= sign * bound
                assert own == bound or math.frexp(own)[0] * 2**BITS % 1 == 0
                assert abs(own - bound) <= max(2 ** (1 - BITS) * abs(bound), 1e-300)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_shares_stay_shares(of: list[float]) -> None:
    low, value, high = sorted(of)
    [row] = with_short_bounds(rows([(value, low, high)])).to_pylist()
    assert 0 <= row["low"] <= low
    assert high <= row["high"] <= 1


def test_of_a_large_file_alone_and_the_values_stay(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"run": "r", "experiment": "abx", "metric": "abx_language", "model": "m", "checkpoint": "c", "source": "de"}
    one |= {"target": "en", "layer": 1, "value": 0.1, "low": 0.05, "high": 0.2, "n": 9}
    exact = pa.Table.from_pylist([one], scores.SCORES)
    for large, low in ((2, 0.05), (1, math.floor(0.05 * 2**20) / 2**20)):
        monkeypatch.setattr(scores, "LARGE", large)
        path = scores.write(tmp_path, "abx", "shard", exact, {"fingerprint": "c", **older.TODAY})
        found = scores.query("SELECT value, low, high FROM {scores}", {}, [path])
        assert found.iloc[0, 0] == 0.1
        assert found.iloc[0, 1] == pytest.approx(low, abs=0)
        assert found.iloc[0, 2] == pytest.approx(0.2, abs=2**-18)
