"""A worker that has done ten jobs on a real model holds no more memory than after its first."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client, connection
from isogloss.backend.settings import ROOT, Settings

if TYPE_CHECKING:
    from tests.real.conftest import Real

JOBS = 10
SETTLED = 3
"""After so many, what a process keeps for good is there: imports, the tokeniser, the device's libraries."""
SECONDS = 900
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def resident(pid: int) -> int:
    """MiB of a process in memory."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def test_ten_jobs_hold_no_more_than_one(real: Real) -> None:
    settings = Settings(workspace=real.context.workspace, demo=None, device="cpu", embeddings_gib=0)
    model = sum(each.stat().st_size for each in Path(real.model.checkpoints[0].location).glob("*.safetensors")) // 2**20
    own = {"ISOGLOSS_WORKSPACE": str(settings.workspace), "ISOGLOSS_DEMO": "", "ISOGLOSS_EMBEDDINGS_GIB": "0"}
    command = [sys.executable, "-m", "isogloss", "worker"]
    worker = subprocess.Popen(command, cwd=ROOT, env=os.environ | own | {"ISOGLOSS_DEVICE": "cpu"})
    held = []
    try:
        for i in range(JOBS):
            spec = AbxSpec(**real.of_model, languages=(("de", "en"), ("en", "zh"))[i % 2], sentences=30 + i)
            run, until = client.submit(spec, settings), time.monotonic() + SECONDS
            while (job := client.job(run, settings)) is None or job.state in ("waiting", "running"):
                assert worker.poll() is None
                assert time.monotonic() < until
                time.sleep(0.2)
            assert (job.state, job.failures) == ("done", ())
            held.append(resident(worker.pid))
    finally:
        worker.terminate()
        worker.wait()
        connection._connection.cache_clear()
    print(f"\nworker: MiB after each job: {held}; the model's weights: {model}")
    assert max(held[SETTLED:]) < max(held[:SETTLED]) + model / 4
