"""What does not change is read from the queue once: a long run is asked for again and again."""

from __future__ import annotations

import json
from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from isogloss.backend.jobs import run_cache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dbos import DBOSClient, WorkflowStatus


class Queue:
    """Workflows, found as the queue finds them; says what it read."""

    def __init__(self) -> None:
        self.rows: list[SimpleNamespace] = []
        self.read: list[str] = []

    def list_workflows(
        self,
        *,
        workflow_ids: list[str] | None = None,
        parent_workflow_id: list[str] | None = None,
        status: str | None = None,
        completed_after: str | None = None,
        **_: object,
    ) -> list[SimpleNamespace]:
        after = datetime.fromisoformat(completed_after).timestamp() * 1000 if completed_after else 0
        found = [
            row
            for row in self.rows
            if (workflow_ids is None or row.workflow_id in workflow_ids)
            and (parent_workflow_id is None or row.parent_workflow_id in parent_workflow_id)
            and (status is None or row.status == status)
            and (not after or (row.completed_at or 0) >= after)
        ]
        self.read += [row.workflow_id for row in found]
        return found


@pytest.fixture
def queue() -> Iterator[Queue]:
    run_cache.forget()
    yield Queue()
    run_cache.forget()


def shard(number: int, status: str = "SUCCESS", run: str = "run", **but: Any) -> SimpleNamespace:
    """One that ended at second `number`."""
    output = {"shard": str(number), "failed": None} if status == "SUCCESS" else None
    fields = {"completed_at": 1_700_000_000_000 + number * 1000, "output": output}
    return SimpleNamespace(workflow_id=f"{run}.{number}", parent_workflow_id=run, status=status, **fields | but)


def ask(queue: Queue, *runs: str) -> dict[str, run_cache.Shards]:
    queue.read.clear()
    return run_cache.shards(runs, cast("DBOSClient", queue))


def test_shards_that_ended_long_ago_are_not_read_again(queue: Queue) -> None:
    queue.rows = [shard(i) for i in range(100)] + [shard(100, "PENDING"), shard(101, "ENQUEUED")]
    first = ask(queue, "run")["run"]
    assert [each["shard"] for each in first.said] == [str(i) for i in range(100)]
    assert first.in_hand == ("run.100",)
    late = shard(95)  # ended a little before the last that was seen, and was written after it
    late.workflow_id, late.output = "run.late", {"shard": "late", "failed": None}
    queue.rows[100:] = [shard(100), shard(101, "PENDING"), late]
    again = ask(queue, "run")["run"]
    assert {each["shard"] for each in again.said} == {*map(str, range(101)), "late"}
    assert again.in_hand == ("run.101",)
    assert len(queue.read) < 20


def test_runs_of_different_ages_each_have_all_of_their_shards(queue: Queue) -> None:
    queue.rows = [shard(i, run="old") for i in range(5)] + [shard(1000 + i, run="new") for i in range(5)]
    ask(queue, "new")
    both = ask(queue, "new", "old", "empty")
    assert [len(both[run].said) for run in ("new", "old", "empty")] == [5, 5, 0]


def test_a_spec_is_read_once(queue: Queue) -> None:
    def row(**but: Any) -> WorkflowStatus:
        return cast("WorkflowStatus", SimpleNamespace(workflow_id="run", status="PENDING", **but))

    queue.rows = [SimpleNamespace(workflow_id="run", status="PENDING", input={"args": (json.dumps({"model": "m"}),)})]
    for _ in range(3):
        assert run_cache.specs([row(input=None)], cast("DBOSClient", queue)) == {"run": {"model": "m"}}
    assert queue.read == ["run"]


def test_only_so_many_runs_are_remembered(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cache, "RUNS", 3)
    queue.rows = [shard(i, run=f"run-{i}") for i in range(10)]
    for i in range(10):
        assert len(ask(queue, f"run-{i}")[f"run-{i}"].said) == 1
    assert list(run_cache._runs) == ["run-7", "run-8", "run-9"]
    assert len(ask(queue, "run-0")["run-0"].said) == 1


def test_the_progress_of_a_run_never_falls_while_it_goes_on() -> None:
    """Between a shard's end and its result neither says anything of it; a run that is asked for again begins anew."""
    run_cache.forget()
    seen = [run_cache.furthest("run", share, active=True) for share in (0.1, 0.24, 0.0, 0.25, 0.2)]
    assert seen == [0.1, 0.24, 0.24, 0.25, 0.25]
    assert run_cache.furthest("other", 0.05, active=True) == 0.05
    assert run_cache.furthest("run", 0.2, active=False) == 0.2  # cancelled
    assert run_cache.furthest("run", 0.22, active=True) == 0.22
