"""The queue as pages and the command line see it: submit a spec, watch it, cancel it. Imports no torch."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from dbos import DBOSClient

from backend.errors import StoreError
from backend.files import publish_json
from backend.jobs import names, progress, slots, trouble
from backend.settings import ROOT, Settings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from backend.experiments.spec import Spec

State = Literal["waiting", "running", "done", "failed", "cancelled"]
ACTIVE = ["ENQUEUED", "PENDING", "DELAYED"]


@dataclass(frozen=True)
class Job:
    """One run, as pages and the command line show it."""

    id: str
    spec: dict[str, Any]
    state: State
    total: int
    done: int
    """Shards finished, computed now or found computed."""
    failures: tuple[tuple[str, str], ...]
    """(checkpoint label, reason) for each shard that failed."""
    doing: str | None
    """What the shard in hand is doing."""
    share: float
    """Of the whole run, 0 to 1."""
    created_at: float
    finished_at: float | None
    shards: tuple[str, ...] = ()
    """The keys of what it computes."""


_started: list[subprocess.Popen[bytes]] = []
"""The worker that this process started last."""
_workspaces: dict[int, tuple[Path, float]] = {}
"""Where and when the workers that this process started did, by process id."""
STARTING_SECONDS = 30.0
"""A worker that has taken no slot after so long is not waited for any more."""
_answered: set[str] = set()
"""URLs of queues that have answered this process: their tables exist, whether or not a worker is starting."""


def ensure_worker(settings: Settings) -> bool:
    """Start a worker in the background if none is alive on this machine; returns whether one was started.

    It outlives this process, so that closing the dashboard stops no computation.
    """
    if slots.alive(settings.workspace) or _starts_in(settings):
        return False
    folder = settings.workspace / "jobs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "worker.log", "ab") as output:
            _started[:] = [
                subprocess.Popen(
                    [sys.executable, "-m", "backend", "worker"],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            ]
        _workspaces[_started[0].pid] = (settings.workspace, time.monotonic())
    except OSError as error:
        raise StoreError(
            f"No worker could be started: {error.strerror}. Check that {settings.workspace} is writable and has space."
        ) from error
    return True


@lru_cache(maxsize=8)
def _connect(url: str) -> DBOSClient:
    logging.getLogger("dbos").setLevel(logging.CRITICAL)  # an error is raised as well, and shown as a sentence
    return DBOSClient(system_database_url=url, application_name=names.APPLICATION)


def _starting(settings: Settings) -> bool:
    """Whether a worker that this process started is on its way: it makes the queue's tables before it describes itself."""
    if not _started or _started[0].poll() is not None:
        return False
    return all(report.pid != _started[0].pid for report in slots.alive(settings.workspace))


def _starts_in(settings: Settings) -> bool:
    """Whether a worker was started here so recently that it has no slot yet: two presses in a second start one worker."""
    if not _started or _started[0].poll() is not None:
        return False
    workspace, moment = _workspaces.get(_started[0].pid, (None, 0.0))
    return workspace == settings.workspace and time.monotonic() - moment < STARTING_SECONDS


def ready(settings: Settings) -> bool:
    """Whether the queue exists (the first worker creates it)."""
    if _starting(settings) and settings.system_database_url not in _answered:
        return False
    if settings.queue_url is not None:
        return True
    # The tables are made before the first worker describes itself; a later worker finds them made.
    return settings.sqlite_path.exists() and any(slots.folder(settings.workspace).glob("*.json"))


@contextmanager
def connected(settings: Settings, wait_seconds: float = 60.0) -> Iterator[DBOSClient]:
    """Open the queue, waiting for the first worker to create it.

    Raises `StoreError` where no worker does, and where the queue's database cannot be read or written inside the block.
    """
    until = time.monotonic() + wait_seconds
    while not ready(settings):
        if _started and _started[0].poll() is not None:
            raise StoreError(
                f"The worker stopped before it was ready. Read {settings.workspace / 'jobs' / 'worker.log'}, and check that "
                "the workspace is writable and has space."
            )
        if time.monotonic() > until:
            raise StoreError("No worker has started. Start one with `python -m backend worker` and read what it prints.")
        time.sleep(0.1)
    with trouble.in_words(settings):
        yield _connect(settings.system_database_url)
        _answered.add(settings.system_database_url)


def submit(spec: Spec, settings: Settings) -> str:
    """Queue a run of `spec` and return its id; where the same spec is already waiting or running, that run's id."""
    text = spec.model_dump_json()
    prefix = f"run-{spec.id}-"
    with connected(settings) as connection:
        active = connection.list_workflows(workflow_id_prefix=prefix, name="run", status=ACTIVE, load_input=False)
        if active:
            return active[0].workflow_id
        run_id = f"{prefix}{time.time_ns() // 1_000_000}"
        publish_json(_spec_path(settings.workspace, run_id), json.loads(text))
        connection.enqueue(
            {"queue_name": names.RUNS, "workflow_name": "run", "workflow_id": run_id, "app_version": names.VERSION},
            text,
        )
    return run_id


def _spec_path(workspace: Path, run_id: str) -> Path:
    return workspace / "jobs" / "runs" / f"{run_id}.json"


def cancel(run_id: str, settings: Settings) -> None:
    """Cancel a run: waiting shards never begin, the one being computed stops at its next step."""
    with connected(settings) as connection:
        connection.cancel_workflow(run_id, cancel_children=True)


def forget(run_id: str, settings: Settings) -> None:
    """Remove a finished run from the list; its scores stay."""
    with connected(settings) as connection:
        connection.delete_workflow(run_id, delete_children=True)
    _spec_path(settings.workspace, run_id).unlink(missing_ok=True)


def jobs(settings: Settings, limit: int = 50, having: Collection[str] | None = None) -> list[Job]:
    """List runs, the newest first; with `having`, those of the newest `limit` that compute any of these shards."""
    if not ready(settings):
        return []
    with connected(settings) as connection:
        found = connection.list_workflows(name="run", sort_desc=True, limit=limit)
        asked = [(status, _spec(status)) for status in found]
        wanted = [each for each in asked if having is None or not set(having).isdisjoint(each[1].shards())]
        return [_job(status, spec, connection, settings) for status, spec in wanted]


def job(run_id: str, settings: Settings) -> Job | None:
    """Return one run, or None where it is not known."""
    if not ready(settings):
        return None
    with connected(settings) as connection:
        found = connection.list_workflows(workflow_ids=[run_id])
        return _job(found[0], _spec(found[0]), connection, settings) if found else None


def _spec(status: Any) -> Spec:
    from backend.experiments import registry

    return registry.parse(json.loads(status.input["args"][0]))


def _job(status: Any, spec: Spec, connection: DBOSClient, settings: Settings) -> Job:
    labels = {shard: checkpoint.label for shard, checkpoint in spec.shards().items()}
    children = connection.list_workflows(parent_workflow_id=status.workflow_id, load_input=False)
    outcomes = [child.output for child in children if child.status == "SUCCESS" and isinstance(child.output, dict)]
    failures = [(labels.get(str(outcome["shard"]), ""), str(outcome["failed"])) for outcome in outcomes if outcome["failed"]]
    done = sum(1 for outcome in outcomes if not outcome["failed"])
    running = next((child for child in children if child.status == "PENDING"), None)
    now = progress.read(settings.workspace, running.workflow_id) if running else None
    if status.error is not None:
        failures.append(("", str(status.error)))
    state: State = "running"
    match status.status:
        case "ENQUEUED" | "DELAYED":
            state = "waiting"
        case "CANCELLED":
            state = "cancelled"
        case "SUCCESS":
            state = "failed" if failures else "done"
        case "ERROR" | "MAX_RECOVERY_ATTEMPTS_EXCEEDED":
            state = "failed"
        case _:
            pass
    return Job(
        id=status.workflow_id,
        spec=spec.model_dump(mode="json"),
        state=state,
        total=len(labels),
        done=done,
        failures=tuple(failures),
        doing=now[0] if now else None,
        share=min(1.0, (len(outcomes) + (now[1] if now else 0.0)) / max(len(labels), 1)),
        created_at=(status.created_at or 0) / 1000,
        finished_at=status.completed_at / 1000 if status.completed_at else None,
        shards=tuple(labels),
    )
