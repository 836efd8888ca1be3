"""Whether two workspaces hold the same: what was asked for once by an undisturbed worker, and once by many that were killed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from isogloss.backend import parquet
from isogloss.backend.files import TEMPORARY
from tests.training.equal_folders import assert_equal_tensors

QUEUE = "jobs"
ENCODED = {"texts", "tokens", "seconds_encoding"}
"""What a file of probes says of the vectors that it did not find."""


def files(workspace: Path) -> dict[str, Path]:
    """What a workspace keeps by its name there, without the queue's own files."""
    found = {str(path.relative_to(workspace)): path for path in sorted(workspace.rglob("*")) if path.is_file()}
    return {name: path for name, path in found.items() if not name.startswith(f"{QUEUE}/")}


def differences(unbroken: Path, broken: Path) -> list[str]:
    """A sentence on each file of one workspace that the other lacks or has otherwise, and on each row that is there twice.

    When a thing was made, how long that took and how many texts were encoded for it anew are not compared: a run that was
    interrupted says it of its last part. Nothing else may differ, to the last bit.
    """
    ours, theirs = files(unbroken), files(broken)
    said = [f"{name} is missing" for name in sorted(ours.keys() - theirs.keys())]
    said += [f"{name} is too much" for name in sorted(theirs.keys() - ours.keys())]
    for name in sorted(ours.keys() & theirs.keys()):
        if not _equal(ours[name], theirs[name]):
            said.append(f"{name} differs")
        if name.endswith(".parquet") and (twice := _doubled(theirs[name])):
            said.append(f"{name} has {twice} rows twice")
    return said


def left_behind(workspace: Path) -> list[str]:
    """Files and folders that were being written when their process was killed, and trainings that are not over."""
    unfinished = [path for path in workspace.rglob(f"{TEMPORARY}*") if TEMPORARY not in str(path.parent.relative_to(workspace))]
    return sorted(str(path.relative_to(workspace)) for path in [*unfinished, *workspace.glob("training/*")])


def rows(workspace: Path) -> int:
    """Rows of all tables."""
    return sum(pq.read_metadata(path).num_rows for name, path in files(workspace).items() if name.endswith(".parquet"))


def _equal(one: Path, other: Path) -> bool:
    match one.suffix:
        case ".parquet":
            # Frames: a table does not take one missing number for another.
            return _metadata(one) == _metadata(other) and _table(one).to_pandas().equals(_table(other).to_pandas())
        case ".json":
            return _without_times(json.loads(one.read_text("utf-8"))) == _without_times(json.loads(other.read_text("utf-8")))
        case ".safetensors":
            try:
                assert_equal_tensors(one, other)
            except AssertionError:
                return False
            return True
    return one.read_bytes() == other.read_bytes()


def _metadata(path: Path) -> Any:
    """What a file says of itself; of a corpus nothing."""
    return _without_times(json.loads((pq.read_schema(path).metadata or {}).get(parquet.METADATA, b"null")))


def _table(path: Path) -> Any:
    table = pq.ParquetFile(path).read().replace_schema_metadata()
    return table.drop_columns([name for name in table.column_names if name == "created_at"])


def _doubled(path: Path) -> int:
    """Rows that say the same of the same thing twice: equal in all but their numbers and their time."""
    table = _table(path)
    of_scores = [name for name in table.column_names if name not in {"value", "low", "high", "n"}]
    counted = Counter(map(repr, table.select(of_scores).to_pylist())) if "metric" in of_scores else Counter()
    return sum(times - 1 for times in counted.values())


def _without_times(value: Any) -> Any:
    """Drop when a thing was made, how long that took, and what of it was encoded anew rather than found on disk."""
    if isinstance(value, dict):
        circumstances = {"created_at", "at"} | ({"texts", "tokens"} if value.keys() >= ENCODED else set())
        kept = {name: each for name, each in value.items() if name not in circumstances and "seconds" not in name}
        return {name: _without_times(each) for name, each in kept.items()}
    return [_without_times(each) for each in value] if isinstance(value, list) else value
