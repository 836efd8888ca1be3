"""`make run` as a person types it: a taken port is one sentence, and stopping it leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.jobs import slots
from isogloss.backend.settings import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    shutil.which("make") is None or not (ROOT / ".venv" / "run").exists(), reason="not installed by `make`"
)


def start(port: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["make", "run", f"PORT={port}"],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def end(process: subprocess.Popen[str]) -> None:
    """Kill whatever is left of it: a child may outlive make."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_taken_port_is_one_sentence(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(port)
        try:
            said, _ = process.communicate(timeout=600)
        finally:
            end(process)
    assert process.returncode != 0
    assert f"Port {port} of 127.0.0.1" in said
    assert "make run PORT=" in said
    assert "Segmentation" not in said
    assert slots.alive(workspace) == []  # no worker was started for a dashboard that never came


@pytest.mark.parametrize(
    ("how", "whom"), [(signal.SIGTERM, "make"), (signal.SIGKILL, "make"), (signal.SIGKILL, "shell"), (signal.SIGINT, "all")]
)
def test_stopping_it_stops_the_worker_too(workspace: Path, how: signal.Signals, whom: str) -> None:
    """SIGTERM to make alone is what a service manager sends, SIGINT to all a terminal; of SIGKILL nobody hears."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = start(port)
    try:
        until = time.monotonic() + 600
        while not (answers(port) and slots.alive(workspace)):
            assert time.monotonic() < until, "it did not start"
            time.sleep(0.2)
        match whom:
            case "make":
                process.send_signal(how)
            case "shell":
                os.kill(int(subprocess.check_output(["ps", "-o", "pid=", "--ppid", str(process.pid)])), how)
            case _:
                os.killpg(process.pid, how)
        process.communicate(timeout=600)  # returns when everything that holds its output has ended
    finally:
        end(process)
    assert not answers(port)
    assert slots.alive(workspace) == []


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=60) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
