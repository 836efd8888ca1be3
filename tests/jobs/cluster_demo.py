"""A sweep on two machines of which one is lost for good: `make cluster-demo`.

A Postgres server, one workspace and two workers, each on a "machine" with a name of its own (a UTS namespace where that is
allowed). When both compute, one is killed and never started again. The scores are then compared with those of one process
that computed the same without a queue. ISOGLOSS_SILENCE_SECONDS (here 10) is how long a machine may say nothing.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from transformers.utils.logging import disable_progress_bar

from isogloss.backend.jobs import client, names, slots
from isogloss.backend.jobs.connection import connect
from isogloss.backend.settings import ROOT, settings
from tests.jobs import postgres
from tests.jobs.running import computed_alone, rows, shards, wait
from tests.jobs.sweep import sweep

if TYPE_CHECKING:
    from isogloss.backend.experiments.abx.shard import AbxSpec

MACHINES = ("node-a", "node-b")
CHECKPOINTS = 20
AS_IF = "import socket, sys; socket.gethostname = lambda: sys.argv[1]; from isogloss.backend.cli import app; app(['worker'])"
"""A worker that takes its machine's name from the command line, where no namespace may be made."""


def worker(machine: str) -> subprocess.Popen[bytes]:
    """`isogloss worker` on a machine of this name."""
    command = ["unshare", "--uts", "sh", "-c", f"hostname {machine} && exec {sys.executable} -m isogloss worker"]
    if shutil.which("unshare") is None or subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL).returncode:
        command = [sys.executable, "-c", AS_IF, machine]
    with open(settings().workspace / f"{machine}.log", "wb") as log:
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)


def in_hand() -> dict[str, int]:
    """How many workflows (the run, shards) each machine has in hand that is computing a shard."""
    with connect(settings()) as connection:
        found = connection.list_workflows(status="PENDING", load_input=False, load_output=False)
    of = {machine: [each.name for each in found if str(each.executor_id).startswith(machine)] for machine in MACHINES}
    return {machine: len(own) for machine, own in of.items() if names.SHARD in own}


def demonstrate(spec: AbxSpec, alone: Path) -> bool:
    """Run the sweep, lose a machine, and compare; returns whether the scores are equal."""
    workspace, started = settings().workspace, time.monotonic()

    def say(what: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {what}", flush=True)

    running = {machine: worker(machine) for machine in MACHINES}
    try:
        wait(lambda: sum(report.machine is not None for report in slots.alive(workspace)) == len(MACHINES))
        say(f"two workers: {', '.join(report.executor for report in slots.alive(workspace))}")
        run = client.submit(spec, settings())
        say(f"a sweep of {CHECKPOINTS} checkpoints is queued")
        wait(lambda: len(shards(workspace)) >= CHECKPOINTS // 5 and len(in_hand()) == len(MACHINES))
        held = in_hand()
        lost = max(MACHINES, key=lambda machine: held.get(machine, 0))  # the one that has the run in hand as well
        running[lost].kill()
        say(f"{lost} is killed for good, with {held.get(lost, 0)} workflows in hand; {len(shards(workspace))} shards are done")
        wait(lambda: (job := client.job(run, settings())) and job.state not in {"waiting", "running"})
        job = client.job(run, settings())
        assert job is not None
        say(f"the sweep is {job.state}: {job.done} of {job.total} shards, failures: {list(job.failures)}")
    finally:
        for each in running.values():
            each.kill()
            each.wait()
    equal = (job.state, job.done) == ("done", CHECKPOINTS) and rows(workspace) == rows(computed_alone(spec, workspace, alone))
    say(f"its {len(rows(workspace)):,} scores are {'those' if equal else 'NOT those'} of an unbroken run")
    return equal


def main() -> None:
    """Make everything in temporary folders, and exit with status 1 where the scores differ."""
    logging.disable()
    disable_progress_bar()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, postgres.running() as server:
        if server is None:
            sys.exit("Postgres is not installed: initdb is found neither on the path nor in /usr/lib/postgresql.")
        os.environ |= {"ISOGLOSS_WORKSPACE": f"{folder}/workspace", "ISOGLOSS_DEMO": "", "ISOGLOSS_QUEUE_URL": f"{server}/demo"}
        os.environ |= {"OMP_NUM_THREADS": "1"}
        os.environ.setdefault("ISOGLOSS_SILENCE_SECONDS", "10")
        settings().workspace.mkdir()
        spec = sweep(settings().workspace, Path(folder, "model"), CHECKPOINTS, sentences=400)
        equal = demonstrate(spec, Path(folder, "alone"))
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
