"""The queue as pages and the command line see it: submit a spec, watch it, cancel it. Imports no torch."""

from __future__ import annotations

import json
import logging
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from dbos import DBOSClient

from backend import people
from backend.errors import SpecError, StoreError
from backend.files import publish_json
from backend.jobs import database_errors, names, progress, seen, slots, starter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from dbos import WorkflowStatus

    from backend.experiments.spec import Spec
    from backend.jobs.seen import Shards
    from backend.settings import Settings

State = Literal["waiting", "running", "done", "failed", "cancelled"]
LABELS = "shards"
"""The attribute of a run that lists its shards, each with its label: pages find the runs that concern them by it, and parse no
spec. Stored, in pairs: a Postgres object has no order."""
BY = "by"
"""The attribute of a run that names who started it; absent where nobody logs in."""


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
    place: int = 0
    """In the queue, counting the run that is computed as the first; 0 where it waits for no other run."""
    seconds: float | None = None
    """It was computed for, without its time in the queue; None while it is not over, and where no shard said."""
    by: str = ""
    """Who started it; empty where nobody logs in."""


_answered: set[str] = set()
"""URLs of queues that have answered this process: their tables exist, whether or not a worker is starting."""
_connecting = threading.Lock()


def _connect(url: str) -> DBOSClient:
    with _connecting:  # a session of the dashboard is a thread: the cache alone would let two of them connect at once
        return _connection(url)


@lru_cache(maxsize=8)
def _connection(url: str) -> DBOSClient:
    logging.getLogger("dbos").setLevel(logging.CRITICAL)  # an error is raised as well, and shown as a sentence
    return DBOSClient(system_database_url=url, application_name=names.APPLICATION)


def ready(settings: Settings) -> bool:
    """Return whether the queue exists (the first worker creates it)."""
    if starter.is_starting(settings) and settings.system_database_url not in _answered:
        return False
    if settings.queue_url is not None:
        return True
    # The tables are made before the first worker describes itself; a later worker finds them made.
    return settings.sqlite_path.exists() and any(slots.folder(settings.workspace).glob("*.json"))


@contextmanager
def connect(settings: Settings, wait_seconds: float = 60.0) -> Iterator[DBOSClient]:
    """Open the queue, waiting for the first worker to create it.

    Raises `StoreError` where no worker does, and where the queue's database cannot be read or written inside the block.
    """
    until = time.monotonic() + wait_seconds
    while not ready(settings):
        if (started := starter.last(settings)) and started.is_over:
            raise StoreError(
                f"The worker stopped before it was ready. Read {settings.workspace / 'jobs' / 'worker.log'}, and check that "
                "the workspace is writable and has space."
            )
        if time.monotonic() > until:
            raise StoreError("No worker has started. Start one with `python -m backend worker` and read what it prints.")
        time.sleep(0.1)
    with database_errors.as_store_errors(settings):
        yield _connect(settings.system_database_url)
        _answered.add(settings.system_database_url)


def submit(spec: Spec, settings: Settings) -> str:
    """Queue a run of `spec` and return its id; where the same spec is already waiting or running, that run's id.

    Raises `RefusedError` where whoever asks may not start runs.
    """
    people.require("run")
    text = spec.model_dump_json()
    prefix = f"run-{spec.id}-"
    with connect(settings) as connection:
        active = connection.list_workflows(workflow_id_prefix=prefix, name=names.RUN, status=names.ACTIVE, load_input=False)
        if active:
            return active[0].workflow_id
        run_id = f"{prefix}{time.time_ns() // 1_000_000}"
        publish_json(_spec_path(settings.workspace, run_id), json.loads(text))
        connection.enqueue(
            {
                "queue_name": names.RUNS,
                "workflow_name": names.RUN,
                "workflow_id": run_id,
                "app_version": names.VERSION,
                "attributes": {LABELS: [[shard, piece.label] for shard, piece in spec.shards().items()]} | _by(),
            },
            text,
        )
    return run_id


def _by() -> dict[str, str]:
    name = people.now().name
    return {BY: name} if name else {}


def _spec_path(workspace: Path, run_id: str) -> Path:
    return workspace / "jobs" / "runs" / f"{run_id}.json"


def cancel(run_id: str, settings: Settings) -> None:
    """Cancel a run: waiting shards never begin, the one being computed stops at its next step.

    Raises `RefusedError` where whoever asks may not, or not the run of another.
    """
    with connect(settings) as connection:
        people.require("cancel", of=_starter(connection.list_workflows(workflow_ids=[run_id], load_input=False)))
        connection.cancel_workflow(run_id, cancel_children=True)


def forget(run_id: str, settings: Settings) -> None:
    """Remove a finished run from the list, with those that it took up again; its scores stay.

    Raises `RefusedError` where whoever asks may not, or not the run of another.
    """
    with connect(settings) as connection:
        people.require("forget", of=_starter(connection.list_workflows(workflow_ids=[run_id], load_input=False)))
        before = connection.list_workflows(workflow_id_prefix=_of_spec(run_id), name=names.RUN, load_input=False)
        for each in {run_id, *(run.workflow_id for run in before if run.workflow_id < run_id and _is_undone(run))}:
            connection.delete_workflow(each, delete_children=True)
            _spec_path(settings.workspace, each).unlink(missing_ok=True)


def _starter(runs: Sequence[WorkflowStatus]) -> str:
    """Return who started a run; empty where that is not known."""
    return str((runs[0].attributes or {}).get(BY, "")) if runs else ""


def jobs(settings: Settings, limit: int = 50, having: Collection[str] | None = None) -> list[Job]:
    """List runs, the newest first; with `having`, those of the newest `limit` that compute any of these shards."""
    if not ready(settings):
        return []
    with connect(settings) as connection:
        runs = _latest(connection.list_workflows(name=names.RUN, sort_desc=True, limit=limit, load_input=False))
        if having is not None:
            runs = [run for run in runs if not set(having).isdisjoint(_labels(run, connection))]
        return _jobs(runs, connection, settings)


def _latest(runs: Sequence[WorkflowStatus]) -> list[WorkflowStatus]:
    """Leave out the runs, newest first, that did not come to a good end and were taken up again by a later one."""
    seen: set[str] = set()
    kept = []
    for run in runs:
        family = _of_spec(run.workflow_id)
        if family not in seen or not _is_undone(run):
            kept.append(run)
        seen.add(family)
    return kept


def _is_undone(run: WorkflowStatus) -> bool:
    """Return whether a run is over and something of it is not computed."""
    failed = run.status == "SUCCESS" and any(outcome["failed"] for outcome in run.output or ())
    return failed or run.status not in {"SUCCESS", *names.ACTIVE}


def _of_spec(run_id: str) -> str:
    """Return what the ids of all runs of one spec begin with."""
    return run_id[: run_id.rindex("-") + 1] if "-" in run_id else run_id


def job(run_id: str, settings: Settings) -> Job | None:
    """Return one run, or None where it is not known."""
    if not ready(settings):
        return None
    with connect(settings) as connection:
        found = connection.list_workflows(workflow_ids=[run_id], load_input=False)
        if found and found[0].status in names.ACTIVE:  # its place in the queue is among the others
            active = connection.list_workflows(name=names.RUN, status=names.ACTIVE, load_input=False)
            is_there = any(run.workflow_id == run_id for run in active)  # or it ended between the two questions
            found = active if is_there else connection.list_workflows(workflow_ids=[run_id], load_input=False)
        return next((each for each in _jobs(found, connection, settings) if each.id == run_id), None)


def _jobs(runs: Sequence[WorkflowStatus], connection: DBOSClient, settings: Settings) -> list[Job]:
    """Describe runs. Only those that did not come to their end are asked for their shards' workflows, all at once."""
    shards = seen.shards([run.workflow_id for run in runs if run.status != "SUCCESS"], connection)
    specs = seen.specs(runs, connection)
    places = _places(runs, {run: bool(own.in_hand) for run, own in shards.items()})
    return [
        _job(
            run,
            _labels(run, connection),
            specs[run.workflow_id],
            shards.get(run.workflow_id, seen.Shards()),
            settings,
            places.get(run.workflow_id, 0),
        )
        for run in runs
    ]


def _places(runs: Sequence[WorkflowStatus], in_hand: Mapping[str, bool]) -> dict[str, int]:
    """Return which of some runs wait for others, with their places in the queue; those that are computed come first.

    A run is computed while a worker has one of its shards `in_hand`; where that is so of none, it is the oldest.
    """
    active = [run for run in runs if run.status in names.ACTIVE]
    order = [run.workflow_id for run in sorted(active, key=lambda run: (run.created_at or 0, run.workflow_id))]
    computed = [run for run in order if in_hand.get(run)] or order[:1]
    return {run: place for place, run in enumerate((each for each in order if each not in computed), len(computed) + 1)}


def _labels(run: WorkflowStatus, connection: DBOSClient) -> Mapping[str, str]:
    """Map each shard of a run to its label, in their order, by what the queue stores."""
    if stored := (run.attributes or {}).get(LABELS):
        return dict(stored)
    if run.status == "SUCCESS":
        return {str(outcome["shard"]): str(outcome["label"]) for outcome in run.output or ()}
    return _parsed_labels(json.dumps(seen.specs([run], connection)[run.workflow_id]))


@lru_cache(maxsize=64)
def _parsed_labels(text: str) -> Mapping[str, str]:
    """Map each shard of a spec to its label: of a run that a version before queued, which stored no labels.

    Not to be changed. Empty where the spec is not understood any more: the other runs are listed all the same.
    """
    from backend.experiments import registry

    try:
        return {shard: piece.label for shard, piece in registry.parse(json.loads(text)).shards().items()}
    except SpecError:
        return {}


def _job(
    run: WorkflowStatus, labels: Mapping[str, str], spec: dict[str, Any], shards: Shards, settings: Settings, place: int
) -> Job:
    outcomes: Sequence[dict[str, Any]] = (run.output or []) if run.status == "SUCCESS" else []
    outcomes = outcomes or shards.said
    failures = [(labels.get(str(outcome["shard"]), ""), str(outcome["failed"])) for outcome in outcomes if outcome["failed"]]
    done = sum(1 for outcome in outcomes if not outcome["failed"])
    now = progress.read(settings.workspace, shards.in_hand[0]) if shards.in_hand else None
    if run.error is not None:
        failures.append(("", str(run.error)))
    elif run.status == "MAX_RECOVERY_ATTEMPTS_EXCEEDED":  # by the version before: now there is no limit
        failures.append(("", "Its worker was lost more often than the queue begins again. Resume it."))
    finished = run.completed_at / 1000 if run.completed_at else None
    created = (run.created_at or 0) / 1000
    return Job(
        id=run.workflow_id,
        spec=spec,
        state="waiting" if place else _state(run.status, failures),
        total=len(labels),
        done=done,
        failures=tuple(failures),
        doing=now[0] if now else None,
        share=min(1.0, (len(outcomes) + (now[1] if now else 0.0)) / max(len(labels), 1)),
        created_at=created,
        finished_at=finished,
        shards=tuple(labels),
        place=place,
        seconds=None if finished is None else _seconds(outcomes, finished - created),
        by=_starter([run]),
    )


def _seconds(outcomes: Sequence[Mapping[str, Any]], lifetime: float) -> float | None:
    """Return how long shards were computed: what they say themselves, or the run's life where several went on at once."""
    said = [float(outcome["seconds"]) for outcome in outcomes if "seconds" in outcome]
    return min(sum(said), lifetime) if said else None


def _state(status: str, failures: Sequence[object]) -> State:
    """Name the state of a run by the queue's status of it: one that came to its end has failed where any shard has."""
    match status:
        case "ENQUEUED" | "DELAYED":
            return "waiting"
        case "CANCELLED":
            return "cancelled"
        case "SUCCESS":
            return "failed" if failures else "done"
        case "ERROR" | "MAX_RECOVERY_ATTEMPTS_EXCEEDED":
            return "failed"
        case _:
            return "running"
