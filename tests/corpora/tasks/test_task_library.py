"""Kept tasks: one folder for each content, whatever happens to names and files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from backend import parquet
from backend.corpora.parallel.corpus import Skipped
from backend.corpora.shared import brought
from backend.corpora.tasks import library as task_library
from backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport, split
from backend.errors import CorpusError, StoreError

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


def test_names(workspace: Path) -> None:
    first = task_library.keep(task(), "Mine", workspace)
    with pytest.raises(CorpusError, match="A task needs a name"):
        task_library.keep(task("x"), " \t", workspace)
    with pytest.raises(CorpusError, match="Another task is called 'mine'"):
        task_library.keep(task("x"), "mine", workspace)
    assert task_library.rename(first.id, "MINE", workspace).name == "MINE"
    task_library.remove(first.id, workspace)
    task_library.remove(first.id, workspace)
    with pytest.raises(CorpusError, match="no task"):
        task_library.load(first.id, [workspace])
    for value in ("..", "../../etc", "G" * 24):
        with pytest.raises(CorpusError, match="is not the id of a task"):
            task_library.load(value, [workspace])


def test_damage_is_found_by_the_check_of_everything(workspace: Path) -> None:
    entry = task_library.keep(task(), "mine", workspace)
    assert brought.check(workspace) == (1, [])
    path = workspace / "tasks" / entry.id / "task.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    with pytest.raises(StoreError, match="'mine' is damaged"):
        task_library.load(entry.id, [workspace])
    assert brought.check(workspace) == (1, ["The task 'mine' is damaged or missing on disk. Remove it and import it again."])
    assert task_library.keep(task(), "mine", workspace).id == entry.id
    parquet.write(path, parquet.read(path).slice(1), {})  # whole, but not what the entry was made from
    with pytest.raises(StoreError, match="'mine' is damaged"):
        task_library.load(entry.id, [workspace])
