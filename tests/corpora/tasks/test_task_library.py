"""Kept tasks: one folder for each content, whatever happens to names and files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from backend.corpora.parallel.corpus import Skipped
from backend.corpora.tasks import library as task_library
from backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport, split

if TYPE_CHECKING:
    from pathlib import Path


def task(last: str = "kalt", *, pair: bool = True) -> LabelledTask:
    report = TaskReport("XTREME", {"de": "deu", "en": "en"}, (Skipped("x", 9, "no text"),), 5, ("odd",), 1, "a/b@c")
    rows = [
        (f"r{i}", tag, f"{tag} {i}" if i < 19 else last, f"second {i}" if pair else None, str(i % 2), "train")
        for tag in ("de", "en")
        for i in range(20)
    ]
    return LabelledTask(pa.table([list(column) for column in zip(*rows, strict=True)], schema=SCHEMA), report)


@pytest.mark.parametrize("pair", [True, False])
def test_keep_and_load(workspace: Path, pair: bool) -> None:
    whole = split(task(pair=pair), 0.25, 1)
    entry = task_library.keep(whole, "  Mine / ../x ", workspace, licence="CC0")
    assert (entry.name, entry.languages, entry.labels, entry.is_pair) == ("Mine / ../x", ("de", "en"), ("0", "1"), pair)
    assert (entry.rows, entry.validation_rows, entry.skipped, entry.label_differs) == (20, 5, 6, 1)
    lengths = sum(len(f"de {i}") for i in range(19)) + 4 + (sum(len(f"second {i}") for i in range(20)) if pair else 0)
    assert entry.characters["de"] == lengths
    assert task_library.entries([workspace]) == [entry]
    again = task_library.load(entry.id, [workspace])
    assert again.table.equals(whole.table, check_metadata=True)
    assert again.report == whole.report
    assert sorted(p.name for p in (workspace / "tasks" / entry.id).iterdir()) == ["entry.json", "task.parquet"]
    assert task_library.problems([workspace]) == []


def test_content_makes_the_identity(workspace: Path) -> None:
    first = task_library.keep(task(), "first", workspace)
    chunked = replace(task(), table=pa.concat_tables([task().table.slice(0, 7), task().table.slice(7)]))
    assert task_library.keep(chunked, "second", workspace) == first
    others = [task("heiß"), task(pair=False), split(task(), 0.25, 1), split(task(), 0.25, 2), task().only(["en"])]
    ids = {task_library.keep(each, f"other {number}", workspace).id for number, each in enumerate(others)}
    assert len(ids | {first.id}) == 6
    assert len(task_library.entries([workspace])) == 6
