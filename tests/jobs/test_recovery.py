"""Who is dead, who takes up its work: one of the living, whatever stops in between. The queue is a list, the clock a number."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.jobs import names, recovery, slots
from isogloss.backend.jobs.recovery import CLAIMED, Keeper
from tests.experiments.machines import CPU

if TYPE_CHECKING:
    from pathlib import Path


class Queue:
    """What is pending, by executor, and what was resumed on which queue."""

    def __init__(self) -> None:
        self.pending: dict[str, list[tuple[str, str]]] = {}
        self.resumed: list[tuple[str, str]] = []
        self.fails = False

    def list_workflows(self, executor_id: list[str] | None = None, **_: object) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(workflow_id=each, name=name, executor_id=executor)
            for executor, own in self.pending.items()
            if executor_id is None or executor in executor_id
            for each, name in own
        ]

    def resume_workflows(self, ids: list[str], *, queue_name: str) -> None:
        if self.fails:
            raise ConnectionError("the database is away")
        self.resumed += [(each, queue_name) for each in ids]
        for executor, own in self.pending.items():
            self.pending[executor] = [work for work in own if work[0] not in ids]


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    found = Queue()
    monkeypatch.setattr(recovery, "DBOS", found)
    monkeypatch.setattr(recovery.queues, "adapt", lambda _: None)
    return found


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def keeper(workspace: Path, machine: str | None = None) -> Keeper:
    return Keeper(slots.take(workspace, machine), workspace, silence=60.0, clock=Clock())


def pass_by(living: Keeper, seconds: float, times: int = 1) -> None:
    """`living` looks again every so many seconds."""
    assert isinstance(living.clock, Clock)
    for _ in range(times):
        living.clock.now += seconds
        living.look()


def left(workspace: Path) -> set[str]:
    """The executors that have a file of whatever kind."""
    found = slots.folder(workspace).glob("*")
    return {path.name.partition(CLAIMED)[0].removesuffix(slots.LOCK) for path in found if path.suffix != slots.REPORT}


def test_on_one_machine_a_free_lock_is_a_dead_worker_whatever_its_host_was_called(
    tmp_path: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(socket, "gethostname", lambda: "before")
        dead, busy = slots.take(tmp_path), slots.take(tmp_path)
    assert dead.executor.startswith("before-")
    living = keeper(tmp_path)
    queue.pending = {dead.executor: [("r", names.RUN), ("r.s", names.SHARD)], busy.executor: [("t", names.SHARD)]}
    living.look()
    assert queue.resumed == []
    dead.handle.close()
    living.look()
    assert sorted(queue.resumed) == [("r", names.RUNS), ("r.s", names.SHARDS)]
    assert left(tmp_path) == {busy.executor, living.slot.executor}
    (slots.folder(tmp_path) / f"old-0{slots.LOCK}").touch()  # of the version before
    queue.pending |= {"old-0": [("old", names.SHARD)]}
    living.look()
    assert queue.resumed[2:] == [("old", names.SHARDS)]


def test_on_another_machine_a_counter_that_stands_still_is_a_dead_worker(tmp_path: Path, queue: Queue) -> None:
    other, living = slots.take(tmp_path, "far 1"), keeper(tmp_path, "near 2")
    queue.pending = {other.executor: [("s", names.SHARD)]}
    living.look()
    pass_by(living, 5, 11)
    assert queue.resumed == []
    other.beat()
    pass_by(living, 5, 12)
    assert queue.resumed == []  # it was heard of
    assert not other.is_lost()
    pass_by(living, 5)
    assert queue.resumed == [("s", names.SHARDS)]  # though it holds its lock: between machines that says nothing
    assert left(tmp_path) == {living.slot.executor}
    assert other.is_lost()
    other.beat()  # once more before it notices
    assert left(tmp_path) == {living.slot.executor}


def test_a_worker_that_slept_takes_nobody_for_dead(tmp_path: Path, queue: Queue) -> None:
    """Where the workspace is away for an hour nobody can raise a counter: then all would be dead at once."""
    other, living = slots.take(tmp_path, "far 1"), keeper(tmp_path, "near 2")
    queue.pending = {other.executor: [("s", names.SHARD)]}
    pass_by(living, 5, 2)
    pass_by(living, 3600)
    assert queue.resumed == []
    pass_by(living, 5, 10)
    assert queue.resumed != []


@pytest.mark.parametrize("machine", ["near 2", "far 1"])
def test_neither_the_killed_of_one_machine_nor_who_ends_in_order_is_waited_for(
    tmp_path: Path, queue: Queue, machine: str
) -> None:
    other, living = slots.take(tmp_path, machine), keeper(tmp_path, "near 2")
    queue.pending = {other.executor: [("s", names.SHARD)]}
    pass_by(living, 5, 30 if machine == "near 2" else 1)
    assert queue.resumed == []  # it says nothing, and lives
    if machine == "near 2":
        other.handle.close()
    else:
        other.release()
    living.look()
    assert queue.resumed == [("s", names.SHARDS)]


def test_of_many_that_claim_at_once_one_has_it(tmp_path: Path, queue: Queue) -> None:
    living = [keeper(tmp_path) for _ in range(8)]
    for _ in range(20):
        dead = slots.take(tmp_path)
        dead.handle.close()
        with ThreadPoolExecutor(8) as pool:
            claims = list(pool.map(lambda each, path=dead.path: each._claim(path, path.stem), living))
        assert sum(claims) == 1


@pytest.mark.parametrize("claimer_dies", [True, False])
def test_a_claim_whose_claimer_died_or_found_no_database_is_tried_again(
    tmp_path: Path, queue: Queue, claimer_dies: bool
) -> None:
    dead, claimer, living = slots.take(tmp_path), keeper(tmp_path), keeper(tmp_path)
    queue.pending = {dead.executor: [("s", names.SHARD)]}
    dead.handle.close()
    queue.fails = True
    with pytest.raises(ConnectionError):
        claimer.look()
    living.look()
    assert queue.resumed == []  # the claimer lives: it will try again
    queue.fails = False
    if claimer_dies:
        claimer.slot.handle.close()
    (living if claimer_dies else claimer).look()
    assert queue.resumed == [("s", names.SHARDS)]
    assert left(tmp_path) == {living.slot.executor} | (set() if claimer_dies else {claimer.slot.executor})


def test_work_under_a_name_that_no_file_has_is_taken_up(tmp_path: Path, queue: Queue) -> None:
    """A worker that was taken for dead, woke, took a shard and ended: nobody has its file any more."""
    living = keeper(tmp_path, "near 2")
    queue.pending = {"gone": [("s", names.SHARD)], living.slot.executor: [("mine", names.SHARD)]}
    living.look()
    assert queue.resumed == [("s", names.SHARDS)]
    assert left(tmp_path) == {living.slot.executor}


def test_only_the_last_measured_report_of_the_dead_is_kept(tmp_path: Path, queue: Queue) -> None:
    living, dead = keeper(tmp_path), [slots.take(tmp_path) for _ in range(3)]
    for each, moment in zip(dead, (1.0, 3.0, 2.0), strict=True):
        each.describe(replace(CPU, measured_at=moment))
        each.handle.close()
    living.slot.describe(None)
    living.look()
    assert {path.stem for path in slots.folder(tmp_path).glob(f"*{slots.REPORT}")} == {living.slot.executor, dead[1].executor}


def test_pages_see_workers_of_other_machines_by_their_counters(tmp_path: Path) -> None:
    other = slots.take(tmp_path, "far 1")
    other.describe(None)
    assert [report.executor for report in slots.alive(tmp_path)] == [other.executor]
    os.utime(other.path, (0, 0))
    assert slots.alive(tmp_path) == []
    other.beat()
    assert [report.executor for report in slots.alive(tmp_path)] == [other.executor]
    other.release()
    assert slots.alive(tmp_path) == []


def test_what_a_worker_has_dropped_is_queued_again(tmp_path: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the queue cannot take a shard's result: it would be this worker's for ever, which computes nothing."""
    living = keeper(tmp_path)
    queue.pending = {living.slot.executor: [("r", names.RUN), ("r.s", names.SHARD), ("r.t", names.SHARD)]}
    monkeypatch.setattr(recovery.queues, "in_hand", {"r", "r.t"})
    living.look()
    assert queue.resumed == []  # its result may be on its way
    living.look()
    assert queue.resumed == [("r.s", names.SHARDS)]
    recovery.queues.in_hand.clear()
    pass_by(living, 2, 2)
    assert sorted(queue.resumed) == [("r", names.RUNS), ("r.s", names.SHARDS), ("r.t", names.SHARDS)]
