"""Bounds in single precision: never a narrower interval, and nothing else is touched."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.store import older, scores
from isogloss.backend.store.short_bounds import with_short_bounds

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
                assert own == bound or np.float32(own) == own or abs(bound) > np.finfo(np.float32).max
                assert abs(own - bound) <= max(2**-23 * abs(bound), 1e-44)


def test_of_a_large_file_alone_and_the_values_stay(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"run": "r", "experiment": "abx", "metric": "abx_language", "model": "m", "checkpoint": "c", "source": "de"}
    one |= {"target": "en", "layer": 1, "value": 0.1, "low": 0.05, "high": 0.2, "n": 9}
    exact = pa.Table.from_pylist([one], scores.SCORES)
    for large, low in ((2, 0.05), (1, float(np.nextafter(np.float32(0.05), np.float32(-np.inf))))):
        monkeypatch.setattr(scores, "LARGE", large)
        path = scores.write(tmp_path, "abx", "shard", exact, {"fingerprint": "c", **older.TODAY})
        found = scores.query("SELECT value, low, high FROM {scores}", {}, [path])
        assert found.iloc[0, 0] == 0.1
        assert found.iloc[0, 1] == pytest.approx(low, abs=0)
        assert found.iloc[0, 2] == pytest.approx(0.2, abs=2e-8)
