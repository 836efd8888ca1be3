"""What a worker said of its machine is still known when it is gone, and one that is on its way is not started again."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.jobs import slots, starter
from isogloss.backend.settings import Settings
from tests.experiments.machines import CPU, gpu
from tests.jobs.running import Worker, start, wait

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.pricing.machine import Machine


def name(report: slots.WorkerReport) -> str | None:
    return report.machine.name if report.machine else None


def test_the_last_worker_is_remembered_first(tmp_path: Path) -> None:
    first, second = slots.take(tmp_path), slots.take(tmp_path)
    first.describe(replace(gpu("old"), measured_at=1.0))
    second.describe(replace(gpu("new"), measured_at=2.0))
    slots.take(tmp_path).describe(None)
    assert {name(report) for report in slots.alive(tmp_path)} == {"old", "new"}  # the third one's lock is gone with it
    first.handle.close()
    second.handle.close()
    assert slots.alive(tmp_path) == []
    assert [name(report) for report in slots.last_reports(tmp_path)] == ["new", "old", None]
    machine = slots.machine(tmp_path)
    assert machine is not None
    assert machine.name == "new"


@pytest.mark.parametrize("machine", [CPU, gpu(), None])
def test_a_report_is_read_as_it_was_written(tmp_path: Path, machine: Machine | None) -> None:
    slot = slots.take(tmp_path)
    assert slots.alive(tmp_path) == [slots.WorkerReport()]  # it says nothing yet
    slot.describe(machine)
    assert slots.alive(tmp_path) == [slots.WorkerReport(os.getpid(), slot.executor, machine)]


def test_a_report_of_the_version_before_is_read(tmp_path: Path) -> None:
    """It had measured its speed, and did not name its processor: no shard was computed on such a machine."""
    slot = slots.take(tmp_path)
    told = {"kind": "cpu", "name": "CPU", "threads": 4, "encoding_flops": 229e9, "scoring_flops": 279e9, "measured_at": 5.0}
    slot.path.with_suffix(".json").write_text(
        json.dumps({"pid": 7, "executor": slot.executor, "speed": told}), encoding="utf-8"
    )
    (report,) = slots.alive(tmp_path)
    assert report.machine == replace(CPU, threads=4, processor="", measured_at=5.0)
    assert report.machine.device == "CPU, 4 threads"


def test_two_presses_in_a_second_start_one_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process takes seconds to its slot: until then the one on its way is not seen among the living."""

    class Started:
        code: int | None = None

        def __init__(self, *_: object, **__: object) -> None:
            self.pid = 4_000_000 + len(made)
            made.append(self)

        def poll(self) -> int | None:
            return self.code

    made: list[Started] = []
    monkeypatch.setattr(starter.subprocess, "Popen", Started)
    monkeypatch.setattr(starter, "_started", {})
    mine = Settings(workspace=tmp_path)
    assert starter.ensure_worker(mine)
    assert not starter.ensure_worker(mine)
    other = dataclasses.replace(mine, workspace=tmp_path / "another")
    assert starter.ensure_worker(other)
    made[-1].code = 1
    assert starter.ensure_worker(other)
    monkeypatch.setattr(starter, "STARTING_SECONDS", 0.0)
    assert starter.ensure_worker(other)
    assert len(made) == 4


def test_many_signals_at_once_end_a_worker_as_one_does(workspace: Path, workers: list[Worker]) -> None:
    """A terminal sends SIGINT to all processes of `make run`, whose shell then sends SIGTERM."""
    for _ in range(2):
        workers.append(start(workspace))
        wait(lambda: slots.alive(workspace))
        for each in range(200):
            with suppress(ProcessLookupError):
                os.kill(int(workers[-1].pid or 0), (signal.SIGINT, signal.SIGTERM)[each % 2])
        wait(lambda: not slots.alive(workspace), 60)
