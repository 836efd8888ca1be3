"""Slots say which workers are alive: each holds a numbered lock file, which the operating system releases at its death.

A worker that restarts takes the slot of the dead one, and with it its unfinished work.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from backend.errors import StoreError
from backend.files import publish_json, try_lock

MAXIMUM = 64


def folder(workspace: Path) -> Path:
    return workspace / "jobs" / "workers"


@dataclass
class Slot:
    """A taken slot; the lock lives as long as `handle` is open."""

    number: int
    path: Path
    handle: IO[str]

    @property
    def executor(self) -> str:
        return f"{socket.gethostname()}-{self.number}"

    def describe(self, about: dict[str, Any]) -> None:
        """Publish what this worker is (device, measured speed) for the pages to read."""
        publish_json(self.path.with_suffix(".json"), about | {"pid": os.getpid(), "executor": self.executor})


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


def alive(workspace: Path) -> list[dict[str, Any]]:
    """Descriptions of the living workers of this machine (an empty dict for one that is still starting)."""
    found = []
    for path in sorted(folder(workspace).glob(f"{_host_pattern()}*.lock")):
        if _is_held(path):
            about = path.with_suffix(".json")
            found.append(json.loads(about.read_text(encoding="utf-8")) if about.exists() else {})
    return found


def remembered(workspace: Path) -> list[dict[str, Any]]:
    """The last descriptions of this machine's workers, alive or not, the most recently started first."""
    files = folder(workspace).glob(f"{_host_pattern()}*.json")
    found = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    return sorted(found, key=lambda about: float(about.get("measured_at", 0.0)), reverse=True)


def dead(workspace: Path, mine: Slot) -> list[str]:
    """Executors of this machine whose slot is free: their unfinished work can be taken over."""
    paths = sorted(folder(workspace).glob(f"{_host_pattern()}*.lock"))
    return [path.stem for path in paths if path != mine.path and not _is_held(path)]


def _is_held(path: Path) -> bool:
    try:
        with open(path, "a+", encoding="utf-8") as handle:
            return not try_lock(handle)
    except OSError:
        return False
