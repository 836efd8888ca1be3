"""A worker a GPU, by one command."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isogloss.backend.cli.worker import chosen, visible
from isogloss.backend.errors import SpecError

ROOT = Path(__file__).resolve().parents[2]
EACH = "import os, pathlib, time; pathlib.Path(os.environ['CUDA_VISIBLE_DEVICES']).touch(); time.sleep(600)"
BESIDE = (
    "import sys; from isogloss.backend.cli.worker import run_beside; "
    f"sys.exit(run_beside([sys.executable, '-c', {EACH!r}], '03'))"
)


def test_the_gpus_asked_for() -> None:
    assert chosen("all", ["0", "1"]) == ["0", "1"]
    assert chosen("1, 0,1", ["0", "1"]) == ["1", "0"]
    with pytest.raises(SpecError, match="asks for 2, x; seen here: 0, 1"):
        chosen("0,2,x", ["0", "1"])
    with pytest.raises(SpecError, match="No GPU is seen here"):
        chosen("all", [])


def test_those_that_the_operator_allows_are_the_ones_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-ab, 3")
    assert visible() == ["GPU-ab", "3"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert visible() == []


def test_each_sees_its_own_gpu_and_all_end_with_the_command(tmp_path: Path) -> None:
    ran = subprocess.Popen([sys.executable, "-c", BESIDE], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    while {each.name for each in tmp_path.iterdir()} != {"0", "3"}:
        assert ran.poll() is None
        time.sleep(0.02)
    ran.send_signal(signal.SIGTERM)
    assert ran.wait(60) == 1  # they were killed: they have no way of their own to end
