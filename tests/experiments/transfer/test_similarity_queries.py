"""The similarity of languages as the ranking of directions reads it: each pair from the file that serves it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pyarrow as pa

from isogloss.backend.experiments.transfer import queries as transfer_queries
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from pathlib import Path


def publish(workspace: Path, run: str, values: dict[tuple[str, str], float]) -> Path:
    common = {
        "run": run,
        "experiment": "similarity",
        "model": "m",
        "checkpoint": "f",
        "corpus": "c",
        "variant": "mean",
        "n": 9,
        "created_at": dt.datetime.now(dt.UTC),
        "low": 0.0,
        "high": 1.0,
    }
    rows = [
        common | {"metric": metric, "layer": layer, "source": source, "target": target, "value": value + layer}
        for (source, target), value in values.items()
        for layer in (0, 1)
        for metric in ("vectors_l2", "vectors_top1")
    ]
    return scores.write(workspace, "similarity", run, pa.Table.from_pylist(rows, schema=SCORES), {"run": run})


def test_each_pair_comes_from_the_file_that_serves_it(tmp_path: Path) -> None:
    files = [publish(tmp_path, "one", {("de", "en"): 0.1, ("de", "zh"): 0.2}), publish(tmp_path, "two", {("de", "en"): 0.9})]
    found = transfer_queries.similarities(files, [("one", "de", "zh"), ("two", "de", "en")])
    assert list(found.columns) == ["metric", "layer", "source", "target", "value", "low", "high", "n"]
    assert found["value"].tolist() == [0.9, 0.2, 1.9, 1.2] * 2
    assert found["layer"].tolist() == [0, 0, 1, 1] * 2
    assert transfer_queries.similarities([], []).empty
    assert transfer_queries.similarities(files, []).empty
