"""Start workers from the web process or the command line. Every thread may ask at once: a session has its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from isogloss.backend import people
from isogloss.backend.errors import StoreError
from isogloss.backend.jobs import slots
from isogloss.backend.settings import ROOT, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPUTING = ("torch", "transformers", "tokenizers", "safetensors", "datasets")
"""What computing needs beside what looking needs: an installation may be without."""
STARTING_SECONDS = 30.0
"""A worker that has taken no slot after so long is not waited for any more."""


@dataclass(frozen=True)
class Started:
    """A worker that this process started."""

    process: subprocess.Popen[bytes]
    moment: float
    """By the monotonic clock."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended, for whatever reason."""
        return self.process.poll() is not None


_started: dict[Path, Started] = {}
"""The last worker that this process started, by workspace. Read and written under `_lock`."""
_lock = threading.Lock()


def ensure_worker(settings: Settings, *, until_empty: bool = False) -> bool:
    """Start a worker in the background if none is alive on this machine; returns whether one was started.

    It outlives this process, so that closing the dashboard stops no computation; with `until_empty` it ends when nothing is
    left to compute. Raises `StoreError` where none can be started, as in an installation that only looks, `RefusedError` where
    whoever asks may not.
    """
    people.require("run")
    if why := lacking():
        if settings.queue_url:  # a machine that has it takes the work from the same queue
            return False
        raise StoreError(why)
    with _lock:
        if slots.alive(settings.workspace) or _has_no_slot_yet(settings):
            return False
        _started[settings.workspace] = Started(_start(settings, ["--until-empty"] if until_empty else []), time.monotonic())
    return True


def lacking() -> str:
    """Say what keeps this installation from computing; empty where nothing does."""
    absent = [name for name in COMPUTING if find_spec(name) is None]
    if not absent:
        return ""
    return f"This installation looks at scores alone: {absent[0]} is not there. To compute: {_adding()}."


def _adding() -> str:
    """Return the command that adds what computes, from where this installation came and with what installed it."""
    try:
        of = distribution("isogloss")
        source = json.loads(of.read_text("direct_url.json") or "{}").get("url", "")
        by = (of.read_text("INSTALLER") or "").strip()
    except (PackageNotFoundError, ValueError):
        source, by = "", ""
    path = url2pathname(urlsplit(source).path) if source.startswith("file:") else ""
    how = "pip install"
    if by == "uv":
        how = "uv tool install" if Path(sys.prefix, "uv-receipt.toml").is_file() else "uv pip install"
    return f"{how} '{path if path and Path(path).is_dir() else 'isogloss'}[compute]'"


def last(settings: Settings) -> Started | None:
    """Return the last worker that this process started for the workspace, alive or not."""
    with _lock:
        return _started.get(settings.workspace)


def is_starting(settings: Settings) -> bool:
    """Whether a worker that this process started is on its way: it makes the queue's tables before it describes itself."""
    started = last(settings)
    if started is None or started.is_over:
        return False
    return all(report.pid != started.process.pid for report in slots.alive(settings.workspace))


def _has_no_slot_yet(settings: Settings) -> bool:
    """Return whether a worker was started so recently that it has no slot yet: two presses in a second start one worker."""
    started = _started.get(settings.workspace)
    return started is not None and not started.is_over and time.monotonic() - started.moment < STARTING_SECONDS


def _start(settings: Settings, options: Sequence[str]) -> subprocess.Popen[bytes]:
    folder = settings.workspace / "jobs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "worker.log", "ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "isogloss", "worker", *options],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
    except OSError as error:
        raise StoreError(
            f"No worker could be started: {error.strerror}. Check that {settings.workspace} is writable and has space."
        ) from error
