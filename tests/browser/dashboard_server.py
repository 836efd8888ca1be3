"""The dashboard as a process of its own, for tests to talk to."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.browser.forking import ROOT, Forked, start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Server:
    """A running dashboard."""

    url: str
    workspace: Path
    process: int


@contextmanager
def serving(
    workspace: Path, *under: str, fork: bool = True, secrets: Callable[[str], str] | None = None, **environment: str
) -> Iterator[Server]:
    """A server on `workspace`; its output is in `server.log` there. `under` is a command that runs the server's.

    Without `fork`, and under a command, it imports all by itself. `secrets` gives what its file of secrets holds, by the
    server's address.
    """
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": "", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2"}
    if secrets is not None:
        (workspace / "secrets.toml").write_text(secrets(url), encoding="utf-8")
        settings["STREAMLIT_SECRETS_FILES"] = str(workspace / "secrets.toml")
    command = ["run", "app.py", "--server.port", str(port), "--server.headless", "true"]
    log, settings = workspace / "server.log", dict(os.environ) | settings | environment
    process: Forked | subprocess.Popen[bytes]
    if fork and not under:
        process = start(command, settings, log)
    else:
        with open(log, "wb") as output:
            command = [*under, sys.executable, "-m", "streamlit", *command]
            process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=output, stderr=output)
    try:
        wait_until(lambda: process.poll() is not None or _healthy(url), 600, f"The server did not start: {log}")
        assert process.poll() is None, f"The server did not start: {log}"
        yield Server(url, workspace, process.pid)
    finally:
        with suppress(ProcessLookupError):  # what runs it may keep a polite signal to itself
            os.kill(process.pid, signal.SIGKILL if under else signal.SIGTERM)
        wait_until(lambda: process.poll() is not None, 600, "The server does not end.")
        stop_workers(workspace)


_ports: list[int] = []
"""Where servers of this process have listened."""


def _free_port() -> int:
    """The first of them that is free again, where there is one: the browser knows a server's scripts by its address."""
    for port in [*_ports, 0]:
        with socket.socket() as free, suppress(OSError):
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", port))
            if not port:
                _ports.append(free.getsockname()[1])
            return int(free.getsockname()[1])
    raise AssertionError("no port is free")


def _healthy(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=60) as answer:
        return bool(answer.status == 200)
    return False


def stop_workers(workspace: Path) -> None:
    """End the workers of this workspace (they outlive the server by design), those still starting too."""
    from isogloss.backend.jobs import slots

    asked, until = time.monotonic(), time.monotonic() + 30
    while (alive := slots.alive(workspace)) and time.monotonic() < until:
        patient = time.monotonic() - asked < 5
        for pid in (report.pid for report in alive if report.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM if patient else signal.SIGKILL)
        time.sleep(0.3)


def wait_until(condition: object, seconds: float, otherwise: str) -> None:
    """Return once `condition()` holds; fail with `otherwise` where it does not in time."""
    until = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > until:
            pytest.fail(otherwise)
        time.sleep(0.05)
