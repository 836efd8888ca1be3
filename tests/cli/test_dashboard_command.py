"""`isogloss` alone, as a person types it: a dashboard that answers, a worker, and nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import isogloss
from isogloss.backend.cli.dashboard import PORTS, free_port
from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.jobs import slots, starter
from isogloss.backend.settings import Settings
from tests.test_make_run import answers

if TYPE_CHECKING:
    from pathlib import Path


def taken() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def test_a_port_that_is_taken_is_one_sentence_and_the_next_free_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with taken() as first:
        port = first.getsockname()[1]
        with pytest.raises(SpecError, match=f"Port {port} of 127.0.0.1 cannot be had"):
            free_port(port)
        monkeypatch.setattr("isogloss.backend.cli.dashboard.PORTS", range(port, port + 1))
        with pytest.raises(SpecError, match="are all taken"):
            free_port(None)
    assert free_port(port) == port
    assert PORTS[0] == 8501


def test_a_port_that_cannot_be_is_one_sentence() -> None:
    with pytest.raises(SpecError, match="Port 70000"):
        free_port(70000)


def test_the_dashboard_answers_with_a_worker_and_both_end_together(workspace: Path, tmp_path: Path) -> None:
    with taken() as free:
        port = free.getsockname()[1]
    folder = tmp_path / "anywhere"
    folder.mkdir()
    here = os.pathsep.join(filter(None, [str(starter.ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "isogloss", "--workspace", str(workspace), "--port", str(port), "--no-browser"]
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": here}, stdout=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 300
        while not (answers(port) and slots.alive(workspace)):
            assert process.poll() is None
            assert time.monotonic() < until, "it did not start"
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert f"http://127.0.0.1:{port}" in said
    assert str(workspace) in said
    assert process.returncode == 0
    assert not answers(port)
    assert slots.alive(workspace) == []


def test_the_version_is_one() -> None:
    said = subprocess.check_output([sys.executable, "-m", "isogloss", "--version"], cwd=starter.ROOT, text=True)
    assert said.strip() == isogloss.__version__


def test_an_installation_without_torch_says_how_to_compute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(starter, "find_spec", lambda name: None if name == "torch" else object())
    with pytest.raises(StoreError, match=r"torch is not there. To compute: pip install 'isogloss\[compute\]'"):
        starter.ensure_worker(Settings(workspace=tmp_path))
    assert not starter.ensure_worker(Settings(workspace=tmp_path, queue_url="postgresql://elsewhere/queue"))
