"""A real worker, started and waited for: a process of its own, forked from one that has imported what a worker needs."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.abx.shard import AbxSpec, covering
from isogloss.backend.experiments.spec import Context, Spec
from isogloss.backend.jobs import slots
from isogloss.backend.settings import Settings
from isogloss.backend.store import scores
from tests.warm import WARM

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKPOINTS, SENTENCES = 4, 120
HELD = "held"
Worker = ForkServerProcess | subprocess.Popen[bytes]


def start(workspace: Path, *, held: bool = False, host: str | None = None, until_empty: bool = False) -> ForkServerProcess:
    """`isogloss worker` on `workspace`, on one thread; what it prints is in `worker.log` there.

    `starter.ensure_worker` starts the command itself, as the product does. A worker that is `held` computes one shard, and
    holds on in the next until `let_go` or until that is cancelled. With `host` its machine has that name. One that works
    `until_empty` waits a second for more.
    """
    if held:
        (workspace / HELD).touch()
    environment = os.environ | {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": ""}
    worker = WARM.Process(target=_work, args=(environment, workspace / "worker.log", host, until_empty))
    worker.start()
    return worker


def _work(environment: dict[str, str], log: Path, host: str | None, until_empty: bool = False) -> None:
    import torch

    from isogloss.backend.cli import app
    from isogloss.backend.jobs import worker

    if host is not None:
        socket.gethostname = lambda: host

    os.environ.clear()
    os.environ.update(environment)
    torch.set_num_threads(1)
    with open(log, "ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    if "FULL_WHEN_MEASURED" in environment:
        _cannot_say_its_machine()
    if (Path(environment["ISOGLOSS_WORKSPACE"]) / HELD).exists():
        _hold(Path(environment["ISOGLOSS_WORKSPACE"]))
    if "HELD_AT_LAYER" in environment:
        _hold_at_layer(Path(environment["ISOGLOSS_WORKSPACE"]), int(environment["HELD_AT_LAYER"]))
    worker.IDLE_SECONDS = 1.0
    app(["worker", *(["--until-empty"] if until_empty else [])], prog_name="isogloss")


def _cannot_say_its_machine() -> None:
    real = slots.Slot.describe

    def describe(slot: slots.Slot, machine: Any) -> None:
        if machine is not None:
            raise StoreError("The disk is full.")
        real(slot, machine)

    slots.Slot.describe = describe  # type: ignore[method-assign]


def _hold(workspace: Path) -> None:
    from isogloss.backend.experiments import registry

    real = registry.compute

    def compute(spec: Any, shard: str, context: Any) -> None:
        _note(workspace, "begun")
        while shards(workspace) and (workspace / HELD).exists() and not context.should_stop():
            time.sleep(0.02)
        try:
            real(spec, shard, context)
        finally:
            _note(workspace, "over")

    registry.compute = compute


def _hold_at_layer(workspace: Path, held: int) -> None:
    """Keep the scores of every layer, and hold on before those of one are counted until `let_go` or until that is cancelled."""
    from isogloss.backend.experiments.abx import shard as abx
    from isogloss.backend.store import scored_layers

    real = abx._score

    def score(spec: Any, vectors: Any, layer: int, context: Any) -> Any:
        _note(workspace, "layers")
        while layer == held and (workspace / HELD).exists() and not context.should_stop():
            time.sleep(0.02)
        return real(spec, vectors, layer, context)

    abx._score = score
    scored_layers.EVERY = 0.0


def _note(workspace: Path, what: str) -> None:
    with open(workspace / what, "a", encoding="utf-8") as file:
        file.write(".")


def noted(workspace: Path, what: str) -> int:
    """How many shards a worker that was started `held` has `begun`, or are `over`."""
    return (workspace / what).stat().st_size if (workspace / what).exists() else 0


def let_go(workspace: Path) -> None:
    """The worker that was held goes on."""
    (workspace / HELD).unlink()


def end(worker: Worker) -> None:
    """Kill it, and wait until it is dead."""
    worker.kill()
    worker.wait() if isinstance(worker, subprocess.Popen) else worker.join()


def wait(what: Callable[[], object], seconds: float = 600) -> None:
    """Until `what()` holds; the limit is for what never will, on however busy a machine."""
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


def rows(workspace: Path) -> set[str]:
    """What was scored in all shards, without when."""
    found: set[str] = set()
    for path in shards(workspace):
        table = pq.ParquetFile(path).read()
        of_shard = {repr(row) for row in table.drop_columns(["created_at"]).to_pylist()}
        assert len(of_shard) == table.num_rows
        assert found.isdisjoint(of_shard)
        found |= of_shard
    return found


def compute(spec: Spec, workspace: Path) -> ForkServerProcess:
    """A process that computes all shards of a spec, one after the other, without a queue."""
    process = WARM.Process(target=_compute, args=(spec, workspace))
    process.start()
    return process


def _compute(spec: Spec, workspace: Path) -> None:
    import torch

    from isogloss.backend.experiments import registry

    torch.set_num_threads(1)
    for shard in spec.shards():
        registry.compute(spec, shard, Context(Settings(workspace=workspace, demo=None)))


def computed_alone(spec: AbxSpec, workspace: Path, folder: Path) -> Path:
    """A workspace with the corpora of another, where one process computed a spec that nothing befell."""
    shutil.copytree(workspace / "corpora", folder / "corpora")
    process = compute(spec, folder)
    process.join()
    assert process.exitcode == 0
    return folder
