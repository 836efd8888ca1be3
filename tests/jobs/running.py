"""A real worker, started and waited for."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from backend.experiments.abx.shard import AbxSpec, covering
from backend.settings import ROOT
from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKPOINTS = 6


def start(workspace: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": "", "OMP_NUM_THREADS": "1"}
    with open(workspace / "worker.log", "ab") as log:
        return subprocess.Popen([sys.executable, "-m", "backend", "worker"], cwd=ROOT, env=environment, stdout=log, stderr=log)


def wait(what: Callable[[], object], seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.05)


def missing(spec: AbxSpec, workspace: Path) -> list[str]:
    """The labels of the checkpoints whose scores no file has."""
    have = scores.shards([workspace], "abx")
    return [checkpoint.label for checkpoint in spec.checkpoints if covering(spec, checkpoint, have) is None]


def shards(workspace: Path) -> list[Path]:
    return [shard.path for shard in scores.shards([workspace], "abx")]
