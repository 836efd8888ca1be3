"""Kill a real worker at random moments of long jobs, start another each time, compare with a job that nobody disturbed.

    python -m benchmarks.kills [--kills 100] [--kinds transfer xferbench game probing] [--seed 0] [--hosts]

A job is done once by a worker that lives. Then, in another workspace with the same inputs, workers are killed (SIGKILL) some
time after the job's first progress in their lives, until it is done; and again from the start until there were as many kills
as asked for. With `--hosts` every life is on a machine of another name. Trainings save their state every 0.3 s instead of every
minute: otherwise every life would begin anew, and there would be nothing to take up. Ends with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import socket
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from benchmarks.long_jobs import Kind, copied, long_job
from benchmarks.same_workspace import differences, left_behind, rows
from isogloss.backend.jobs import client, connection, run_cache, slots
from isogloss.backend.settings import settings
from isogloss.backend.store import cache, quarantine
from tests.jobs import running
from tests.warm import WARM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.context import ForkServerProcess

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.jobs.job import Job

SAVE_EVERY = 0.3
LONGEST_LIFE = 2.5
"""Seconds after a life's first progress within which it ends, every moment as likely."""
NEW_NAMESPACE = 0x04000000
"""CLONE_NEWUTS: the name of the machine is this process's own from then on."""


@dataclass
class Tally:
    """What happened to the jobs of one kind."""

    kills: int = 0
    jobs: int = 0
    unbroken: float = 0.0
    broken: float = 0.0
    """Seconds of all broken jobs together."""
    resumed: int = 0
    """Kills that left the state of a training on disk."""
    rows: int = 0
    left: int = 0
    """Half-written files and folders that the dead left, out of everybody's sight."""
    wrong: list[str] = field(default_factory=list)


def live(workspace: Path, host: str | None) -> ForkServerProcess:
    """A worker as `isogloss worker` is one, which saves states often."""
    environment = os.environ | {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": "", "ISOGLOSS_DEVICE": "cpu"}
    worker = WARM.Process(target=_live, args=(environment, workspace.parent / "worker.log", host))
    worker.start()
    return worker


def _live(environment: dict[str, str], log: Path, host: str | None) -> None:
    from isogloss.backend.training.finetune.loop import finetune
    from isogloss.backend.training.resumable import run
    from isogloss.backend.training.signalling_game.loop import play

    run.SAVE_EVERY = SAVE_EVERY
    for each in (finetune, play):
        assert each.__kwdefaults__
        each.__kwdefaults__["save_every"] = SAVE_EVERY
    if host is not None and ctypes.CDLL(None).unshare(NEW_NAMESPACE) == 0:
        socket.sethostname(host)
        assert socket.gethostname() == host
        host = None
    running._work(environment, log, host)


def look(run: str) -> Job:
    found = client.job(run, settings())
    assert found is not None, "the queue lost the run"
    return found


@contextmanager
def in_workspace(workspace: Path) -> Iterator[None]:
    before = dict(os.environ)
    os.environ |= {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": ""}
    try:
        yield
    finally:
        connection._connection.cache_clear()
        run_cache.forget()
        os.environ.clear()
        os.environ |= before


def undisturbed(spec: Spec, workspace: Path) -> float:
    """Have one worker compute it; returns the seconds."""
    with in_workspace(workspace):
        worker = live(workspace, None)
        try:
            run = client.submit(spec, settings())
            running.wait(lambda: slots.alive(workspace) and look(run).doing)
            started = time.perf_counter()
            running.wait(lambda: look(run).state not in {"waiting", "running"})
        finally:
            running.end(worker)
        job = look(run)
        assert (job.state, job.failures) == ("done", ()), job
    return time.perf_counter() - started


def progressed(workspace: Path, since: float) -> bool:
    """Whether a shard told of itself since then: a life's first progress."""
    try:
        return any(path.stat().st_mtime > since for path in (workspace / "jobs" / "progress").glob("[!.]*.json"))
    except FileNotFoundError:  # it was over at that moment
        return False


def disturbed(spec: Spec, workspace: Path, kills: int, tally: Tally, draw: random.Random, hosts: bool) -> None:
    """Kill worker after worker until the job is done, or `kills` are; the last one lives until it is done."""
    with in_workspace(workspace):
        began, before, run = time.perf_counter(), tally.kills, ""
        while True:
            since = time.time()
            worker = live(workspace, f"machine-{tally.kills}" if hosts else None)
            try:
                run = run or client.submit(spec, settings())
                over = _live_and_die(run, workspace, since, tally.kills - before < kills, draw)
            finally:
                running.end(worker)
            if over:
                break
            tally.kills += 1
            tally.resumed += any((workspace / "training").glob("*/state.safetensors"))
        tally.jobs += 1
        tally.broken += time.perf_counter() - began
        tally.wrong += _wrong(run, spec, workspace)


def _live_and_die(run: str, workspace: Path, since: float, mortal: bool, draw: random.Random) -> bool:
    """Wait for the moment at which this life is to end; whether the job was over before."""
    is_over = lambda: look(run).state not in {"waiting", "running"}  # noqa: E731
    running.wait(lambda: progressed(workspace, since) or is_over())
    if not mortal:
        running.wait(is_over)
    until = time.perf_counter() + draw.uniform(0, LONGEST_LIFE)
    while time.perf_counter() < until:
        if is_over():
            return True
        time.sleep(0.02)
    return is_over()


def _wrong(run: str, spec: Spec, workspace: Path) -> list[str]:
    """What the queue and its folder say, that an undisturbed job's would not."""
    job, said = look(run), []
    if (job.state, job.done, job.failures) != ("done", len(spec.shards()), ()):
        said.append(f"the run is {job.state}, {job.done} of {job.total} shards, failures: {job.failures}")
    if len(client.jobs(settings())) != 1:
        said.append(f"there are {len(client.jobs(settings()))} runs instead of one")
    if quarantine.notes(workspace):
        said.append(f"set aside: {quarantine.notes(workspace)}")
    if progress := list((workspace / "jobs" / "progress").glob("[!.]*")):
        said.append(f"{len(progress)} files of progress are left")
    if len(slots.locks(workspace)) > 1 or list(slots.folder(workspace).glob("*.claimed-*")):
        said.append(f"slots of the dead are left: {[path.name for path in slots.folder(workspace).iterdir()]}")
    return said


def campaign(kind: Kind, kills: int, folder: Path, draw: random.Random, hosts: bool) -> Tally:
    """Disturb jobs of one kind until there were so many kills."""
    tally = Tally()
    spec, inputs = long_job(kind, folder)
    unbroken = copied(inputs, folder / "unbroken" / "workspace")
    tally.unbroken = undisturbed(spec, unbroken)
    tally.rows = rows(unbroken)
    tally.wrong += [f"undisturbed: {each}" for each in left_behind(unbroken)]
    while tally.kills < kills and not tally.wrong:
        broken = copied(inputs, folder / f"broken-{tally.jobs}" / "workspace")
        before = tally.kills
        disturbed(spec, broken, kills - tally.kills, tally, draw, hosts)
        left = left_behind(broken)
        tally.left += len(left)
        cache.remove_unfinished(broken, older_than_seconds=0)
        tally.wrong += [f"{each} is left for ever" for each in left_behind(broken)] + differences(unbroken, broken)
        tally.wrong += cache.check(broken)[1]
        print(f"  {kind}: job {tally.jobs}, {tally.kills - before} kills, left half written: {len(left)}", flush=True)
        if tally.kills == before:
            tally.wrong.append("the job is over before it can be killed: it is too short for this machine")
    return tally


def report(tallies: dict[str, Tally]) -> None:
    """Print the table."""
    print(
        "| | kills | jobs | kills a job | undisturbed | broken, a job | rows | states taken up | left half written | differs |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kind, it in tallies.items():
        jobs = max(1, it.jobs)
        numbers = [it.kills, it.jobs, f"{it.kills / jobs:.1f}", f"{it.unbroken:.0f} s", f"{it.broken / jobs:.0f} s", it.rows]
        print("| " + " | ".join(map(str, [kind, *numbers, it.resumed, it.left, len(it.wrong)])) + " |")
    for kind, it in tallies.items():
        for each in it.wrong:
            print(f"{kind}: {each}")


def main() -> None:
    """Run the campaign in a temporary folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--kinds", nargs="+", default=list(get_args(Kind)), choices=get_args(Kind))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    draw, tallies = random.Random(given.seed), {}
    with tempfile.TemporaryDirectory() as temporary:
        for place, kind in enumerate(given.kinds):
            kills = given.kills // len(given.kinds) + (place < given.kills % len(given.kinds))
            tallies[kind] = campaign(kind, kills, (given.keep or Path(temporary)) / kind, draw, given.hosts)
    report(tallies)
    raise SystemExit(any(it.wrong for it in tallies.values()))


if __name__ == "__main__":
    main()
