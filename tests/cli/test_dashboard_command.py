"""`isogloss` alone, as a person types it: a dashboard that answers, a worker, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import isogloss
from isogloss.backend.cli.dashboard import PORTS, free_port, unwritten
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
            free_port(port, ExitStack())
        monkeypatch.setattr("isogloss.backend.cli.dashboard.PORTS", range(port, port + 1))
        with pytest.raises(SpecError, match="are all taken"):
            free_port(None, ExitStack())
    with ExitStack() as held:
        assert free_port(port, held) == port
    assert PORTS[0] == 8501


def test_two_that_start_together_have_two_ports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first does not listen yet when the second looks; once it has ended, its port is free again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with ExitStack() as one, ExitStack() as other:
        first, second = free_port(None, one), free_port(None, other)
        assert first != second
        with pytest.raises(SpecError, match="cannot be had"):
            free_port(first, ExitStack())
    with ExitStack() as third:
        assert free_port(first, third) == first


def test_a_port_that_cannot_be_is_one_sentence() -> None:
    with pytest.raises(SpecError, match="Port 70000"):
        free_port(70000, ExitStack())


ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, *([signal.SIGKILL] if sys.platform == "linux" else [])]


@pytest.mark.parametrize("how", ENDS)
def test_the_dashboard_answers_with_a_worker_and_both_end_together(
    how: signal.Signals, workspace: Path, tmp_path: Path
) -> None:
    """SIGTERM is what a service manager sends, SIGHUP a terminal that is closed, SIGINT its Ctrl-C, to all; SIGKILL to one."""
    with taken() as free:
        port = free.getsockname()[1]
    folder = tmp_path / "anywhere"
    folder.mkdir()
    here = os.pathsep.join(filter(None, [str(starter.ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "isogloss", "--workspace", str(workspace), "--port", str(port), "--no-browser"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": here},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 300
        while not (answers(port) and slots.alive(workspace)):
            assert process.poll() is None
            assert time.monotonic() < until, "it did not start"
            time.sleep(0.2)
        os.killpg(process.pid, how)
        said, wrong = process.communicate(timeout=120)  # returns when all that holds its output has ended
    finally:
        process.kill()
    assert f"http://127.0.0.1:{port}" in said
    assert str(workspace) in said
    assert process.returncode == (-how if how == signal.SIGKILL else 0)
    assert "Traceback" not in wrong
    assert not answers(port)
    assert slots.alive(workspace) == []


def test_a_workspace_that_cannot_be_is_one_sentence_and_one_that_cannot_be_written_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match=r"cannot be used: it is no folder\. Choose another with --workspace"):
            unwritten(folder)
    assert unwritten(tmp_path / "made") == ""
    assert (tmp_path / "made").is_dir()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "nothing is computed" in unwritten(tmp_path / "made")


AS_ON_WINDOWS = """
import importlib.util, os, signal, subprocess, sys, tempfile, types
held = set()
def locking(number, how, length):
    if how and held: raise OSError("another has it")
    held.add(1) if how else held.clear()
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=1, LK_UNLCK=0, locking=locking)
find, sys.modules["resource"] = importlib.util.find_spec, None
importlib.util.find_spec = lambda name, package=None: None if name == "fcntl" else find(name, package)
del signal.SIGHUP, os.fork
import isogloss.backend.cli, isogloss.backend.corpora.shared.apart_server
from isogloss.backend import errors, locks
from isogloss.backend.corpora.shared import apart
file = tempfile.TemporaryFile("w+")
file.write("abc")
assert not locks.is_locked(file) and locks.try_lock(file) and not locks.try_lock(file) and locks.is_locked(file)
assert file.tell() == 3
try:
    apart.read(len, [])
except errors.StoreError as error:
    print(error)
"""


def test_the_command_can_be_imported_where_nothing_of_posix_is() -> None:
    """No fcntl, no resource, no SIGHUP; what a lock is there, a stand-in says."""
    said = subprocess.check_output([sys.executable, "-c", AS_ON_WINDOWS], cwd=starter.ROOT, text=True)
    assert "Windows" in said


def test_how_to_compute_names_what_installed_this_and_from_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts = {"direct_url.json": json.dumps({"url": tmp_path.as_uri(), "dir_info": {}}), "INSTALLER": "pip\n"}
    monkeypatch.setattr(starter, "distribution", lambda _: SimpleNamespace(read_text=texts.get))
    monkeypatch.setattr(starter, "find_spec", lambda _: None)
    assert starter.lacking().endswith(f"To compute: pip install '{tmp_path}[compute]'.")
    texts["INSTALLER"] = "uv"
    assert starter.lacking().endswith(f"To compute: uv pip install '{tmp_path}[compute]'.")
    (tmp_path / "uv-receipt.toml").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert starter.lacking().endswith(f"To compute: uv tool install '{tmp_path}[compute]'.")
    del texts["direct_url.json"]  # from an index
    assert starter.lacking().endswith("To compute: uv tool install 'isogloss[compute]'.")


def test_the_version_is_one() -> None:
    said = subprocess.check_output([sys.executable, "-m", "isogloss", "--version"], cwd=starter.ROOT, text=True)
    assert said.strip() == isogloss.__version__


def test_an_installation_without_torch_says_how_to_compute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(starter, "find_spec", lambda name: None if name == "torch" else object())
    with pytest.raises(StoreError, match=r"torch is not there. To compute: pip install '.*\[compute\]'"):
        starter.ensure_worker(Settings(workspace=tmp_path))
    assert not starter.ensure_worker(Settings(workspace=tmp_path, queue_url="postgresql://elsewhere/queue"))
