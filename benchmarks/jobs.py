"""How long the server takes to list fifty runs, beside a straightforward way: parse every spec, ask for every run's shards.

    python -m benchmarks.jobs [--repeats 9]

A temporary workspace gets 50 runs by turns of ABX (39 checkpoints) and of transfer (99 fine-tunings), that a worker in this
process finishes without computing anything.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import tempfile
import time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from dbos import DBOS

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.jobs import client, names, worker
from isogloss.backend.jobs.connection import connect
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.settings import Settings

RUNS, CHECKPOINTS = 50, 39
TAGS = ("ar", "de", "en", "fi", "fr", "ja", "ko", "nl", "ru", "sw", "zh")


def specs() -> list[Spec]:
    """Fifty different runs of two families."""
    checkpoints = tuple(
        Checkpoint(source="folder", location=f"/models/step{i}", label=f"step{i}", step=i, fingerprint=f"{i:024}")
        for i in range(CHECKPOINTS)
    )
    found: list[Spec] = []
    for i in range(RUNS // 2):
        found.append(AbxSpec(model="m", checkpoints=checkpoints, corpus=f"{i:024}", languages=("de", "en", "fr")))
        found.append(
            TransferSpec(model="m", checkpoints=checkpoints[:1], data="task", corpus=f"{i:024}", sources=TAGS, languages=TAGS)
        )
    return found


def measure(what: Callable[[], Any], repeats: int) -> str:
    """Median and slowest, in ms."""
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        what()
        taken.append((time.perf_counter() - started) * 1000)
    return f"{statistics.median(taken):7.1f} {max(taken):7.1f} ms"


def compare(repeats: int) -> None:
    """Queue, finish and list the runs."""
    now, asked = settings(), specs()
    (now.workspace / "jobs").mkdir(parents=True)
    worker.launch(now, "benchmark-0")
    for queue in (names.RUNS, names.SHARDS):
        DBOS.register_queue(queue, worker_concurrency=50, polling_interval_sec=0.05)
    folder = now.workspace / "jobs" / "workers"
    folder.mkdir()
    (folder / "benchmark.json").write_text("{}", encoding="utf-8")
    for spec in asked:
        client.submit(spec, now)
    while any(job.state in {"waiting", "running"} for job in client.jobs(now)):
        time.sleep(0.5)
    jobs = client.jobs(now)
    print(f"{len(jobs)} runs, {sum(job.total for job in jobs):,} shards; median and slowest of {repeats}")
    print("all of them:                ", measure(lambda: client.jobs(now), repeats))
    print("those of a page, among 30:  ", measure(lambda: client.jobs(now, 30, having=asked[-1].shards), repeats))
    print("none of a page's, among 30: ", measure(lambda: client.jobs(now, 30, having=lambda: {"none"}), repeats))
    print("all, a spec and a query each:", measure(lambda: plainly(now), repeats))


def plainly(now: Settings) -> list[int]:
    """Ask for each run's shards by itself, and read their number out of its spec."""
    with connect(now) as connection:
        runs = connection.list_workflows(name="run", sort_desc=True, limit=RUNS)
        for run in runs:
            connection.list_workflows(parent_workflow_id=run.workflow_id, load_input=False)
        return [len(registry.parse(json.loads(run.input["args"][0])).shards()) for run in runs if run.input]


def main() -> None:
    """Run the benchmark in a temporary workspace."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=9)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"ISOGLOSS_WORKSPACE": folder}):
        with patch.object(registry, "compute", lambda *_: None):
            compare(parser.parse_args().repeats)
        logging.shutdown()
        DBOS.destroy()


if __name__ == "__main__":
    main()
