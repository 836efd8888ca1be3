"""What compares two workspaces after kills can tell them apart."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from backend import parquet
from tests.jobs.same_workspace import differences, left_behind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROW = {"metric": "m", "layer": 1, "value": float("nan"), "created_at": "now"}


def scores(workspace: Path, rows: list[dict[str, Any]], **metadata: Any) -> None:
    parquet.write(workspace / "scores" / "a.parquet", pa.Table.from_pylist(rows), {"seconds": 3, "threads": 1} | metadata)


def other_json(workspace: Path) -> None:
    (workspace / "bases" / "about.json").write_text(json.dumps({"tokens": 3, "seconds": None}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda w: scores(w, [ROW | {"created_at": "later"}], seconds=None), []),
        (lambda w: scores(w, [ROW | {"value": 1.0}]), ["scores/a.parquet differs"]),
        (lambda w: scores(w, [ROW], threads=2), ["scores/a.parquet differs"]),
        (lambda w: scores(w, [ROW, ROW | {"value": 2.0}]), ["scores/a.parquet differs", "scores/a.parquet has 1 rows twice"]),
        (lambda w: (w / "scores" / "b.parquet").write_bytes(b""), ["scores/b.parquet is too much"]),
        (lambda w: (w / "scores" / "a.parquet").unlink(), ["scores/a.parquet is missing"]),
        (other_json, ["bases/about.json differs"]),
        (lambda w: (w / "notes.txt").write_text("y"), ["notes.txt differs"]),
        (lambda w: ((w / "jobs").mkdir(), (w / "jobs" / "queue.sqlite").touch()), []),
    ],
)
def test_what_differs_is_said(tmp_path: Path, change: Callable[[Path], object], said: list[str]) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    scores(one, [ROW])
    (one / "bases").mkdir()
    (one / "bases" / "about.json").write_text(json.dumps({"tokens": 2, "seconds": 3}))
    (one / "notes.txt").write_text("x")
    shutil.copytree(one, other)
    assert differences(one, other) == []
    change(other)
    if said == ["scores/b.parquet is too much"]:
        assert differences(other, one) == ["scores/b.parquet is missing"]
    assert differences(one, other) == said


def test_what_is_left_half_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "training" / "key" / ".tmp-1").mkdir(parents=True)
    (tmp_path / "scores" / ".tmp-2").mkdir(parents=True)
    (tmp_path / "scores" / ".tmp-2" / "inner").touch()
    assert left_behind(tmp_path) == ["scores/.tmp-2", "training/key", "training/key/.tmp-1"]
