"""A real worker, started and waited for: a process of its own, forked from one that has imported what a worker needs."""

from __future__ import annotations

import os
import subprocess
import time
from multiprocessing.context import ForkServerProcess
from typing import TYPE_CHECKING

from backend.experiments.abx.shard import AbxSpec, covering
from backend.store import scores
from tests.warm import WARM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKPOINTS = 6
Worker = ForkServerProcess | subprocess.Popen[bytes]


def start(workspace: Path) -> ForkServerProcess:
    """`python -m backend worker` on `workspace`, on one thread; what it prints is in `worker.log` there.

    `starter.ensure_worker` starts the command itself, as the product does.
    """
    environment = os.environ | {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": ""}
    worker = WARM.Process(target=_work, args=(environment, workspace / "worker.log"))
    worker.start()
    return worker


def _work(environment: dict[str, str], log: Path) -> None:
    import torch

    from backend.cli import app

    os.environ.clear()
    os.environ.update(environment)
    torch.set_num_threads(1)
    with open(log, "ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    app(["worker"], prog_name="python -m backend")


def end(worker: Worker) -> None:
    """Kill it, and wait until it is dead."""
    worker.kill()
    worker.wait() if isinstance(worker, subprocess.Popen) else worker.join()


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
