"""The queue as pages and the command line see it: submit a spec, watch it, cancel it. Imports no torch."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from isogloss.backend import people
from isogloss.backend.files import publish_json
from isogloss.backend.jobs import moved, names
from isogloss.backend.jobs.connection import connect, ready
from isogloss.backend.jobs.job import BY, LABELS, described, labels, started_by
from isogloss.backend.store import scored_layers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from dbos import WorkflowStatus

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.jobs.job import Job
    from isogloss.backend.settings import Settings


def submit(spec: Spec, settings: Settings, *, by: str | None = None) -> str:
    """Queue a run of `spec` and return its id; where the same spec is already waiting or running, that run's id.

    It is of whoever acts, or of the person called `by` for whom it is queued. Raises `RefusedError` where whoever asks may not
    start runs.
    """
    people.require("run")
    spec = moved.found_again(spec, settings.workspaces)
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
                "attributes": {LABELS: [[shard, piece.label] for shard, piece in spec.shards().items()]} | _by(by),
            },
            text,
        )
    return run_id


def _by(by: str | None) -> dict[str, str]:
    name = people.now().name if by is None else by
    return {BY: name} if name else {}


def _spec_path(workspace: Path, run_id: str) -> Path:
    return workspace / "jobs" / "runs" / f"{run_id}.json"


def cancel(run_id: str, settings: Settings) -> None:
    """Cancel a run: waiting shards never begin, the one being computed stops at its next step.

    What was kept of a shard that was half done goes, unless another run computes that shard. Raises `RefusedError` where
    whoever asks may not, or not the run of another.
    """
    with connect(settings) as connection:
        found = connection.list_workflows(workflow_ids=[run_id], load_input=False)
        people.require("cancel", of=started_by(found))
        connection.cancel_workflow(run_id, cancel_children=True)
        active = connection.list_workflows(name=names.RUN, status=names.ACTIVE, load_input=False)
        wanted = {shard for run in active for shard in labels(run, connection)}
        for shard in {shard for run in found for shard in labels(run, connection)} - wanted:
            scored_layers.forget(settings.workspace, shard)


def forget(run_id: str, settings: Settings) -> None:
    """Remove a finished run from the list, with those that it took up again; its scores stay.

    Raises `RefusedError` where whoever asks may not, or not the run of another.
    """
    with connect(settings) as connection:
        people.require("forget", of=started_by(connection.list_workflows(workflow_ids=[run_id], load_input=False)))
        before = connection.list_workflows(workflow_id_prefix=_of_spec(run_id), name=names.RUN, load_input=False)
        for each in {run_id, *(run.workflow_id for run in before if run.workflow_id < run_id and _is_undone(run))}:
            connection.delete_workflow(each, delete_children=True)
            _spec_path(settings.workspace, each).unlink(missing_ok=True)


def jobs(settings: Settings, limit: int = 50, having: Callable[[], Collection[str]] | None = None) -> list[Job]:
    """List runs, the newest first; those of the newest `limit` that compute any of the shards that `having` gives.

    It is called where there are runs: to hash what a shard of thousands of pairs is made of takes milliseconds.
    """
    if not ready(settings):
        return []
    with connect(settings) as connection:
        runs = _latest(connection.list_workflows(name=names.RUN, sort_desc=True, limit=limit, load_input=False))
        if having is not None and runs:
            wanted = set(having())
            runs = [run for run in runs if not wanted.isdisjoint(labels(run, connection))]
        return described(runs, connection, settings)


def shards_of(person: str, settings: Settings) -> frozenset[str]:
    """Return the keys of what the runs compute that somebody started (`Person.name`), as far as the queue still lists them."""
    if not ready(settings):
        return frozenset()
    with connect(settings) as connection:
        runs = connection.list_workflows(name=names.RUN, load_input=False)
        own = [run for run in runs if started_by([run]) == person]
        return frozenset(shard for run in own for shard in labels(run, connection))


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
        workflows = connection.list_workflows(workflow_ids=[run_id], load_input=False)
        if workflows and workflows[0].status in names.ACTIVE:  # its place in the queue is among the others
            active = connection.list_workflows(name=names.RUN, status=names.ACTIVE, load_input=False)
            is_there = any(run.workflow_id == run_id for run in active)  # or it ended between the two questions
            workflows = active if is_there else connection.list_workflows(workflow_ids=[run_id], load_input=False)
        return next((each for each in described(workflows, connection, settings) if each.id == run_id), None)
