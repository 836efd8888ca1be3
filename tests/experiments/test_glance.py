"""What Home's cards average: each value that is a number, whatever a file says of its least and greatest one."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from isogloss.backend.experiments import glance
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

EMPTY = dict.fromkeys(SCORES.names)


def row(layer: int, value: float) -> dict[str, object]:
    own = {"metric": "igap", "layer": layer, "source": "en", "target": "de", "value": value, "variant": "v", "n": 3}
    named = {"run": "r", "experiment": "transfer", "model": "M", "checkpoint": "c" * 24, "corpus": "t"}
    return EMPTY | own | named | {"created_at": datetime(2026, 1, 1, tzinfo=UTC)}


@pytest.mark.parametrize("values", [(0.25, math.nan, 0.75), (math.nan, 0.5), (math.nan,)])
def test_a_value_that_is_none_is_not_averaged(tmp_path: Path, values: tuple[float, ...]) -> None:
    table = pa.Table.from_pylist([row(layer, value) for layer, value in enumerate(values)], schema=SCORES)
    path = scores.write(tmp_path, "transfer", "f" * 24, table, {})
    there = [value for value in values if not math.isnan(value)]
    found = glance.by_pair([path], ["igap"])["value"].tolist()
    assert found == ([pytest.approx(sum(there) / len(there))] if there else [])
