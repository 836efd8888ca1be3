"""Scores to download are rounded as is said, no interval gets narrower by it, and nothing has changed for it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend import parquet
from isogloss.backend.atlas import imported, publish
from isogloss.backend.atlas.changed import changes
from isogloss.backend.atlas.rounded import BOUND, SAID, VALUE, rounded
from tests.atlas.atlas_workspace import fill, published

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=False, min_value=None) | st.floats(0, 1)


def by_hand(number: float, bits: int, how: str) -> Fraction:
    """A number with so many significant bits, by whole numbers alone."""
    exact, unit = Fraction(number), Fraction(2) ** (math.frexp(number)[1] - bits)
    whole = {"nearest": round(exact / unit), "down": math.floor(exact / unit), "up": math.ceil(exact / unit)}[how]
    return whole * unit


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted), min_size=1, max_size=20))
def test_what_is_rounded_is_that_by_hand(rows: list[list[float]]) -> None:
    names = "low", "value", "high"
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    short = rounded(table).to_pydict()
    for at, row in enumerate(rows):
        given = dict(zip(names, row, strict=True))
        for name, how in (("low", "down"), ("value", "nearest"), ("high", "up")):
            got, own = short[name][at], given[name]
            if not math.isfinite(own):
                assert got == own or math.isnan(own) == math.isnan(got)
                continue
            as_value = name == "value" or own == given["value"]
            wanted = by_hand(own, VALUE, "nearest") if as_value else by_hand(own, BOUND, how)
            assert got == wanted or (math.isinf(got) and abs(wanted) > Fraction(1.7e308))
            assert math.isinf(got) or abs(Fraction(got) - Fraction(own)) <= abs(Fraction(own)) / (
                1 << (VALUE if as_value else BOUND - 1)
            )
        if all(map(math.isfinite, row)):
            assert short["low"][at] <= short["value"][at] <= short["high"][at]


def test_null_stays_null() -> None:
    table = pa.table(
        {"value": [0.3, 0.4], "low": pa.array([None, 0.1], pa.float64()), "high": pa.array([None, None], pa.float64())}
    )
    assert rounded(table)["low"].to_pylist()[0] is None
    assert rounded(table)["high"].null_count == 2


def test_the_card_says_whether_scores_are_rounded_and_their_files_are(filled: Path, tmp_path: Path) -> None:
    content = publish.of_models([filled])
    for exact in (False, True):
        folder = published(publish.with_said(content, "", "", [], exact=exact), filled, tmp_path / f"site-{exact}")
        for place in ("README.md", "about.html"):
            assert (SAID in (folder / place).read_text(encoding="utf-8")) == (not exact)
        for path in (filled / "scores" / "abx").glob("*.parquet"):
            own = pq.read_table(path)
            before = own if exact else rounded(own)
            copy = folder / "workspace" / "scores" / "abx" / path.name
            assert ("rounded" in parquet.metadata(copy)) == (not exact)
            after, at = pq.read_table(copy), before.schema.get_field_index("model")
            assert after.drop_columns("model").equals(before.remove_column(at))
            assert set(after["model"].to_pylist()) == {content.grids[0].model.name}


def test_what_rounding_alone_sets_apart_has_not_changed(tmp_path: Path) -> None:
    filled = tmp_path / "filled"
    fill(filled, plain=True)
    site = published(publish.of_models([filled]), filled, tmp_path / "site")
    (tmp_path / "other").mkdir()
    kept = imported.take(site, tmp_path / "other")
    there = next((kept.folder / "scores" / "abx").glob("*.parquet"))
    assert pq.read_table(there)["value"] != pq.read_table(filled / "scores" / "abx" / there.name)["value"]
    for sides in (([kept.folder], [filled]), ([filled], [kept.folder])):
        assert set(changes(*sides)["state"]) == {"same"}
