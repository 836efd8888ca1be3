"""Kept tasks: one folder for each content, whatever happens to names and files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from isogloss.backend.corpora.parallel.corpus import Skipped
from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport, split

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


def test_content_makes_the_identity(workspace: Path) -> None:
    first = task_library.keep(task(), "first", workspace)
    chunked = replace(task(), table=pa.concat_tables([task().table.slice(0, 7), task().table.slice(7)]))
    assert task_library.keep(chunked, "second", workspace) == first
    others = [task("heiß"), task(pair=False), split(task(), 0.25, 1), split(task(), 0.25, 2), task().only(["en"])]
    ids = {task_library.keep(each, f"other {number}", workspace).id for number, each in enumerate(others)}
    assert len(ids | {first.id}) == 6
    assert len(task_library.entries([workspace])) == 6
