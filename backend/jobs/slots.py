"""Slots say which workers are alive: each worker has an id of its own and a file of that name, which it keeps locked.

With the queue in SQLite all workers are on one machine, whatever its name is at the moment: a free lock is a dead worker. With
Postgres a lock is believed between workers of one machine alone. A file then holds its machine's name and a counter, which its
worker raises: for other machines a worker is dead whose counter stands still (`backend.jobs.recovery`).
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.pricing import machine as machines
from isogloss.backend.experiments.pricing.machine import Machine
from isogloss.backend.files import TEMPORARY, parse_json, publish_json, published_files
from isogloss.backend.locks import is_locked, try_lock

if TYPE_CHECKING:
    from isogloss.backend.settings import Settings

LOCK, REPORT = ".lock", ".json"
RELEASED = "released"
"""What the file of a worker says that ended by itself."""


def folder(workspace: Path) -> Path:
    """Return the folder of the locks and reports, one each a worker."""
    return workspace / "jobs" / "workers"


@dataclass(frozen=True)
class WorkerReport:
    """What a worker says of itself for the pages to read."""

    pid: int | None = None
    """None of one that has its slot and says nothing yet."""
    executor: str = ""
    machine: Machine | None = None
    """What it computes on; None until it has seen that."""


@dataclass
class Slot:
    """A taken slot; the lock lives as long as `handle` is open."""

    path: Path
    handle: IO[str]
    machine: str | None = None
    """None where the lock alone says whether the worker lives."""
    beats: int = 0

    @property
    def executor(self) -> str:
        """What the queue calls this worker: its host's name, for people, and what no other worker has."""
        return self.path.stem

    def describe(self, machine: Machine | None) -> None:
        """Publish this worker's report. `machine` is None while the worker starts."""
        publish_json(self.path.with_suffix(REPORT), asdict(WorkerReport(os.getpid(), self.executor, machine)))

    def beat(self) -> None:
        """Raise the counter for other machines to see; does nothing where the lock alone says that the worker lives."""
        if self.machine is None:
            return
        self.beats += 1
        text = f"{self.beats:012d} {self.machine}\n".encode()
        os.pwrite(self.handle.fileno(), text, 0)  # in place: a new file of the name would undo another worker's claim
        os.fsync(self.handle.fileno())  # a network file system shows others what is synced or closed

    def is_lost(self) -> bool:
        """Return whether another worker took this one for dead: the file is not there under its name any more."""
        try:
            return not os.path.samestat(os.fstat(self.handle.fileno()), self.path.stat())
        except FileNotFoundError:
            return True
        except OSError:  # a network file system that does not answer just now
            return False

    def release(self) -> None:
        """Say that this worker ends, so that another machine need not wait for its counter, and that nothing killed it."""
        self.handle.truncate(0)
        os.pwrite(self.handle.fileno(), RELEASED.encode(), 0)
        os.fsync(self.handle.fileno())
        self.handle.close()


def machine_of(settings: Settings) -> str | None:
    """Return the name of the machine that a slot is to have: None with SQLite, where there is one machine."""
    return f"{socket.gethostname()} {boot()}" if settings.queue_url else None


@lru_cache(maxsize=1)
def boot() -> str:
    """What this start of the machine's system is called: machines may share a name. Empty where it has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def take(workspace: Path, machine: str | None = None) -> Slot:
    """Make a slot of this worker's own, locked. Raises `StoreError` where the workspace cannot be written."""
    name = f"{socket.gethostname()}-{uuid.uuid4().hex[:12]}{LOCK}"
    path = folder(workspace) / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unseen = path.with_name(TEMPORARY + name)  # until it is locked: without a lock it would be a dead worker's
        slot = Slot(path, open(unseen, "x+", encoding="utf-8"), machine)  # noqa: SIM115 — held open: that is the lock
        try_lock(slot.handle)
        slot.beat()
        unseen.rename(path)
    except OSError as error:
        raise StoreError(
            f"The worker cannot write to the workspace {workspace} ({error.strerror}). "
            "Check its permissions and free space, or set ISOGLOSS_WORKSPACE to another folder."
        ) from error
    return slot


def locks(workspace: Path) -> list[Path]:
    """Return the files of the workers that no other has taken for dead, sorted."""
    return published_files(folder(workspace), f"*{LOCK}")


def counted(path: Path) -> tuple[str, str | None]:
    """Return the counter of a slot and its machine, None where the lock alone counts."""
    beats, _, machine = path.read_text(encoding="utf-8").strip().partition(" ")
    return beats, machine or None


def is_released(path: Path) -> bool:
    """Return whether a worker ended by itself, as its file says."""
    try:
        return path.read_text(encoding="utf-8") == RELEASED
    except OSError:
        return False


def is_held(path: Path) -> bool:
    """Return whether a living worker has the lock, as far as this machine knows."""
    try:
        with open(path, "rb") as handle:  # not to be made: another worker may just have claimed it
            return is_locked(handle)
    except OSError:
        return False


def alive(workspace: Path, within: float = 60.0) -> list[WorkerReport]:
    """Return the reports of the living workers: those of this machine, and those whose counter was raised `within` seconds.

    By the clock of the day, so that one look is enough: whether work is taken from a worker is not decided here.
    """
    return [_report(path.with_suffix(REPORT)) for path in locks(workspace) if _seems_alive(path, within)]


def _seems_alive(path: Path, within: float) -> bool:
    try:
        _, machine = counted(path)
        if machine in {None, f"{socket.gethostname()} {boot()}"}:
            return is_held(path)
        with open(path, "rb") as handle:  # opened: a network file system would else answer from memory
            return abs(time.time() - os.fstat(handle.fileno()).st_mtime) < within
    except OSError:
        return False


def last_reports(workspace: Path) -> list[WorkerReport]:
    """Return the last reports of workers, alive or not, the most recently started first."""
    found = [_report(path) for path in published_files(folder(workspace), f"*{REPORT}")]
    return sorted(found, key=lambda report: report.machine.measured_at if report.machine else 0.0, reverse=True)


def machine(workspace: Path) -> Machine | None:
    """Return what a living worker computes on, else the last one that lived; None where none has said it."""
    reports = [*alive(workspace), *last_reports(workspace)]
    return next((report.machine for report in reports if report.machine), None)


def _report(path: Path) -> WorkerReport:
    try:
        provenance = parse_json(path.read_bytes())
        return WorkerReport(provenance.get("pid"), str(provenance.get("executor", "")), machines.read(provenance))
    except (OSError, ValueError, TypeError, AttributeError, KeyError):  # gone, half written, or of another version
        return WorkerReport()


def forget_reports(workspace: Path) -> None:
    """Remove the reports of workers that are gone, but for the last that said its machine: prices are told by it."""
    paths = {path: _report(path) for path in published_files(folder(workspace), f"*{REPORT}")}
    measured = [(report.machine.measured_at, path) for path, report in paths.items() if report.machine]
    for path in paths:
        if not path.with_suffix(LOCK).exists() and (not measured or path != max(measured)[1]):
            path.unlink(missing_ok=True)
