"""What the queue costs a shard, in SQLite and in Postgres, with 1, 2 and 4 workers, and how it bears a run of many shards.

    python -m benchmarks.queue [--shards 200] [--workers 1 2 4] [--databases sqlite postgres] [--many 10000]

Each shard takes a set time and computes nothing. Beside it the same shards one after the other in a process without a queue;
both in one run. Then, with 4 workers, a run of many shards: its cost a shard in each tenth, and how long lists take meanwhile.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.jobs import client, connection, slots
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.settings import settings
from tests.jobs import postgres
from tests.warm import WARM

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPUTING = "SHARD_SECONDS"
"""The variable that tells a worker's process how long a shard takes."""


def spec(shards: int, corpus: int = 0) -> AbxSpec:
    """A run of so many shards, on a corpus with that number."""
    checkpoints = tuple(
        Checkpoint(source="folder", location=f"/models/step{i}", label=f"step{i}", step=i, fingerprint=f"{i:024}")
        for i in range(shards)
    )
    return AbxSpec(model="m", checkpoints=checkpoints, corpus=f"{corpus:024x}", languages=("de", "en"))


def compute(*_: object) -> None:
    """A small shard."""
    time.sleep(float(os.environ[COMPUTING]))


def _work(environment: dict[str, str]) -> None:
    from isogloss.backend.cli import app

    os.environ.clear()
    os.environ.update(environment)
    registry.compute = compute
    log = os.open(f"{environment['ISOGLOSS_WORKSPACE']}/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    app(["worker"], prog_name="isogloss")


@contextmanager
def workers(number: int, url: str | None) -> Iterator[Path]:
    """A workspace with so many workers that are ready."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        own = {"ISOGLOSS_WORKSPACE": folder, "ISOGLOSS_DEMO": "", "ISOGLOSS_QUEUE_URL": url or ""}
        with patch.dict(os.environ, own):
            started = [WARM.Process(target=_work, args=(dict(os.environ),)) for _ in range(number)]
            for each in started:
                each.start()
            try:
                while sum(report.machine is not None for report in slots.alive(Path(folder))) < number:
                    assert all(each.is_alive() for each in started), (Path(folder) / "log").read_text(encoding="utf-8")
                    time.sleep(0.1)
                yield Path(folder)
            finally:
                for each in started:
                    each.kill()
                    each.join()
                connection._connection.cache_clear()


def plainly(asked: AbxSpec) -> float:
    """Seconds for all shards without a queue."""
    started = time.perf_counter()
    for shard in asked.shards():
        compute(asked, shard, Context(settings()))
    return time.perf_counter() - started


def through_the_queue(asked: AbxSpec) -> float:
    """Seconds from the run's submission to its end."""
    started = time.perf_counter()
    run = client.submit(asked, settings())
    while True:
        job = client.job(run, settings())
        if job is not None and job.state not in {"waiting", "running"}:
            assert (job.state, job.done) == ("done", len(asked.checkpoints)), job.failures[:3]
            return time.perf_counter() - started
        time.sleep(0.1)


def small(shards: int, number: int, name: str, url: str | None) -> None:
    """A sweep of small shards."""
    with workers(number, url):
        through_the_queue(spec(number, 1))
        alone, queued = plainly(spec(shards)), through_the_queue(spec(shards))
    cost = (queued * number - alone) / shards * 1000
    print(f"{name:9} {number} workers, {shards} shards: {queued:5.1f} s, without a queue {alone:4.1f} s;", end=" ")
    print(f"between two shards {queued / shards * 1000:4.0f} ms, a worker's time beside its shard {cost:4.0f} ms", end=" ")
    print(f"(load {os.getloadavg()[0]:.1f})", flush=True)


def timed(what: Any) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    what()
    return (time.perf_counter() - started) * 1000


def many(shards: int, number: int, name: str, url: str | None) -> None:
    """One run of many shards."""
    asked = spec(shards)
    with workers(number, url):
        now = settings()
        submitted = timed(lambda: client.submit(asked, now))
        print(f"{name}, {number} workers, a run of {shards:,} shards, submitted in {submitted:.0f} ms")
        run, started, done, tenth = client.jobs(now)[0].id, time.perf_counter(), 0, time.perf_counter()
        jobs, one = [], []
        while (job := client.job(run, now)) and job.state in {"waiting", "running"}:
            jobs.append(timed(lambda: client.jobs(now)))
            one.append(timed(lambda: client.job(run, now)))
            if job.done >= done + shards / 10:
                now_at, took = time.perf_counter() - started, (time.perf_counter() - tenth) / (job.done - done) * 1000
                print(f"  {job.done:6,} done after {now_at:6.1f} s: {took:4.0f} ms between two shards; runs listed in", end=" ")
                print(f"{statistics.median(jobs):4.0f} ms (slowest {max(jobs):5.0f}), one in", end=" ")
                print(f"{statistics.median(one):4.0f} ms (load {os.getloadavg()[0]:.1f})", flush=True)
                done, tenth, jobs, one = job.done, time.perf_counter(), [], []
            time.sleep(1.5)  # as the Jobs page asks
        assert job is not None
        print(f"  {job.state}, {job.done:,} after {time.perf_counter() - started:.1f} s")
        print(f"  afterwards the list of runs takes {timed(lambda: client.jobs(now)):.0f} ms")


def main() -> None:
    """Run the benchmark in temporary workspaces."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", type=int, default=200)
    parser.add_argument("--seconds", default="0.02", help="of a shard")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--many", type=int, default=10_000)
    given = parser.parse_args()
    logging.disable()
    os.environ[COMPUTING] = given.seconds
    with postgres.running() as server:
        for name in given.databases:
            if name == "postgres" and server is None:
                print("Postgres is not installed.")
                continue
            for number in given.workers if given.shards else []:
                small(given.shards, number, name, f"{server}/w{number}" if name == "postgres" else None)
            if given.many:
                many(given.many, given.workers[-1], name, f"{server}/many" if name == "postgres" else None)


if __name__ == "__main__":
    main()
