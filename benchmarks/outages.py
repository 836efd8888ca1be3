"""A full disk, and clocks that jump, in the middle of long jobs: what is said, what is left, what goes on.

    python -m benchmarks.outages [--what disk clock] [--kinds transfer xferbench game probing sweep] [--seed 0]

`disk` needs a root that may mount: each workspace is a small file system of its own, filled to its last byte once the job
progresses, and emptied some seconds later; the run, resumed where it failed, has to end like an undisturbed one. `clock`: the
time of day in the worker's Python jumps by days every second, ahead and back, while its monotonic clock goes on. (libfaketime
is no use here: it shifts the absolute monotonic deadlines of Python's sleep, which no real clock does.)
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.kills import in_workspace, live, look, progressed, undisturbed
from benchmarks.long_jobs import copied, long_job
from benchmarks.same_workspace import differences, left_behind
from isogloss.backend.experiments import registry
from isogloss.backend.files import publish_json
from isogloss.backend.jobs import client, slots
from isogloss.backend.settings import settings
from isogloss.backend.store import cache
from tests.jobs import running
from tests.jobs.sweep import sweep
from tests.warm import WARM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.experiments.spec import Spec

KINDS = ("transfer", "xferbench", "game", "probing", "sweep")
SIZE = "48m"
FULL_SECONDS = 10.0
"""For which a disk is full: a run whose queue lies on it cannot end before."""
JUMPS = (2, -2, 0, 400)
"""Days."""


def job(kind: str, folder: Path) -> tuple[Spec, Path]:
    """A long job, or a sweep of ABX over checkpoints."""
    if kind == "sweep":
        return sweep(folder / "workspace", folder / "model", 8, sentences=400), folder / "workspace"
    return long_job(kind, folder)  # type: ignore[arg-type]


def is_over(run: str) -> bool:
    return look(run).state not in {"waiting", "running"}


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own, unmounted afterwards."""
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> Path:
    """A file that takes all space that is left."""
    path = folder / "jobs" / "filler"
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            while True:
                try:
                    file.write(b"\0" * size)
                except OSError:
                    break
    return path


def on_a_full_disk(kind: str, folder: Path, draw: random.Random) -> list[str]:
    """Fill the disk in the middle of a job; what was wrong then, and after there was space again."""
    spec, inputs = job(kind, folder)
    unbroken = copied(inputs, folder / "unbroken" / "workspace")
    undisturbed(spec, unbroken)
    said: list[str] = []
    with small_disk(folder / "disk") as disk, in_workspace(copied(inputs, disk / "workspace")):
        workspace = disk / "workspace"
        since = time.time()
        worker = live(workspace, None)
        try:
            run = client.submit(spec, settings())
            running.wait(lambda: progressed(workspace, since))
            time.sleep(draw.uniform(0, 1.5))
            filler = fill(workspace)
            until = time.monotonic() + FULL_SECONDS
            while not is_over(run) and worker.is_alive() and time.monotonic() < until:
                time.sleep(0.1)
            before = look(run)
            print(f"  {kind}: full: the run is {before.state}, {before.done} of {before.total} shards; worker alive:", end=" ")
            print(worker.is_alive())
            for reason in sorted({reason for _, reason in before.failures}):
                print(f"    {reason}")
                said += [f"no words: {reason}"] if "Unexpected" in reason else []
            said += [f"half stored: {each}" for each in cache.check(workspace)[1]]
            filler.unlink()
            if not worker.is_alive():
                worker = live(workspace, None)
            running.wait(lambda: is_over(run), 300)
            again = run if look(run).state == "done" else client.submit(registry.parse(look(run).spec), settings())
            running.wait(lambda: is_over(again), 300)
            said += [] if (found := look(again)).state == "done" else [f"afterwards it is {found.state}: {found.failures}"]
        finally:
            running.end(worker)
        left = left_behind(workspace)
        cache.remove_unfinished(workspace, older_than_seconds=0)
        said += [f"left for ever: {each}" for each in left_behind(workspace)] + differences(unbroken, workspace)
        print(f"    with space again it is {found.state}; left half written: {len(left)}; differs: {len(said)}", flush=True)
    return said


def clocks_jump(kind: str, folder: Path) -> list[str]:
    """Set the worker's clock again and again in the middle of a job."""
    spec, inputs = job(kind, folder)
    unbroken = copied(inputs, folder / "unbroken" / "workspace")
    undisturbed(spec, unbroken)
    workspace, offset = copied(inputs, folder / "jumping" / "workspace"), folder / "offset"
    offset.write_text("0")
    with in_workspace(workspace):
        worker = WARM.Process(target=_live_in_jumping_time, args=(dict(os.environ), folder / "worker.log", offset))
        worker.start()
        try:
            running.wait(lambda: slots.alive(workspace))
            run = client.submit(spec, settings())
            jumps = 0
            while not is_over(run):
                publish_json(offset, JUMPS[jumps % len(JUMPS)])
                jumps += 1
                time.sleep(1.0)
            found = look(run)
        finally:
            running.end(worker)
    said = [] if (found.state, found.failures) == ("done", ()) else [f"it is {found.state}: {found.failures}"]
    said += [f"left: {each}" for each in left_behind(workspace)] + differences(unbroken, workspace)
    print(f"  {kind}: {jumps} jumps, the run is {found.state}; differs: {len(said)}", flush=True)
    return said


def _live_in_jumping_time(environment: dict[str, str], log: Path, offset: Path) -> None:
    real, real_ns = time.time, time.time_ns

    def days() -> int:
        return int(json.loads(offset.read_text()))

    time.time = lambda: real() + 86400 * days()
    time.time_ns = lambda: real_ns() + 86400 * 10**9 * days()
    running._work(environment | {"ISOGLOSS_DEVICE": "cpu"}, log, None)


def main() -> None:
    """Run what was asked for in a temporary folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--what", nargs="+", default=["disk", "clock"], choices=["disk", "clock"])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw, wrong = random.Random(given.seed), []
    os.environ["OMP_NUM_THREADS"] = "1"
    for what in given.what:
        print(what)
        for kind in given.kinds:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                said = on_a_full_disk(kind, folder, draw) if what == "disk" else clocks_jump(kind, folder)
            wrong += [f"{what}, {kind}: {each}" for each in said]
    print("\n".join(wrong) or "Nothing is lost, half stored or different.")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
