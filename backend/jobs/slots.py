"""Slots say which workers are alive: each holds a numbered lock file, which the operating system releases at its death.

A worker that restarts takes the slot of the dead one, and with it its unfinished work.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from backend.errors import StoreError
from backend.experiments import speed as speeds
from backend.experiments.speed import Speed
from backend.files import is_locked, publish_json, try_lock

MAXIMUM = 64


def folder(workspace: Path) -> Path:
    """Return the folder of the locks and reports, one each a worker."""
    return workspace / "jobs" / "workers"


@dataclass(frozen=True)
class WorkerReport:
    """What a worker says of itself for the pages to read."""

    pid: int | None = None
    """None of one that has its slot and says nothing yet."""
    executor: str = ""
    speed: Speed | None = None
    """None until it is measured."""


@dataclass
class Slot:
    """A taken slot; the lock lives as long as `handle` is open."""

    number: int
    path: Path
    handle: IO[str]

    @property
    def executor(self) -> str:
        """What the queue calls this worker: host and slot."""
        return f"{socket.gethostname()}-{self.number}"

    def describe(self, speed: Speed | None) -> None:
        """Publish this worker's report. `speed` is None while it is not measured."""
        publish_json(self.path.with_suffix(".json"), asdict(WorkerReport(os.getpid(), self.executor, speed)))


def _host_pattern() -> str:
    return f"{socket.gethostname()}-"


def take(workspace: Path) -> Slot:
    """Take the lowest free slot on this machine. Raises `StoreError` where the workspace cannot be written."""
    try:
        folder(workspace).mkdir(parents=True, exist_ok=True)
        for number in range(MAXIMUM):
            path = folder(workspace) / f"{_host_pattern()}{number}.lock"
            handle = open(path, "a+", encoding="utf-8")  # noqa: SIM115 — held open: that is the lock
            if try_lock(handle):
                return Slot(number, path, handle)
            handle.close()
    except OSError as error:
        raise StoreError(
            f"The worker cannot write to the workspace {workspace} ({error.strerror}). "
            "Check its permissions and free space, or set ISOGLOSS_WORKSPACE to another folder."
        ) from error
    raise StoreError(f"{MAXIMUM} workers already run on this machine. Stop one first.")


def alive(workspace: Path) -> list[WorkerReport]:
    """Return the reports of the living workers of this machine."""
    paths = sorted(folder(workspace).glob(f"{_host_pattern()}*.lock"))
    return [_report(path.with_suffix(".json")) for path in paths if _is_held(path)]


def last_reports(workspace: Path) -> list[WorkerReport]:
    """Return the last reports of this machine's workers, alive or not, the most recently started first."""
    found = [_report(path) for path in folder(workspace).glob(f"{_host_pattern()}*.json")]
    return sorted(found, key=lambda report: report.speed.measured_at if report.speed else 0.0, reverse=True)


def measured_speed(workspace: Path) -> Speed | None:
    """Return the speed of a living worker of this machine, else of the last one that lived; None where none has measured it."""
    reports = [*alive(workspace), *last_reports(workspace)]
    return next((report.speed for report in reports if report.speed), None)


def _report(path: Path) -> WorkerReport:
    provenance = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return WorkerReport(provenance.get("pid"), provenance.get("executor", ""), speeds.read(provenance))


def dead(workspace: Path, mine: Slot) -> list[str]:
    """Executors of this machine whose slot is free: their unfinished work can be taken over."""
    paths = sorted(folder(workspace).glob(f"{_host_pattern()}*.lock"))
    return [path.stem for path in paths if path != mine.path and not _is_held(path)]


def _is_held(path: Path) -> bool:
    try:
        with open(path, "a+", encoding="utf-8") as handle:
            return is_locked(handle)
    except OSError:
        return False
