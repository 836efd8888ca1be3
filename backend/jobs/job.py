"""What pages and the command line show of a run, by what the queue stores of it and of its shards. Imports no torch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.errors import SpecError
from isogloss.backend.jobs import names, progress, run_cache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dbos import DBOSClient, WorkflowStatus

    from isogloss.backend.jobs.run_cache import Shards
    from isogloss.backend.settings import Settings

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


def described(runs: Sequence[WorkflowStatus], connection: DBOSClient, settings: Settings) -> list[Job]:
    """Describe runs. Only those that did not come to their end are asked for their shards' workflows, all at once."""
    shards = run_cache.shards([run.workflow_id for run in runs if run.status != "SUCCESS"], connection)
    specs = run_cache.specs(runs, connection)
    places = _places(runs, {run: bool(own.in_hand) for run, own in shards.items()})
    return [
        _job(
            run,
            labels(run, connection),
            specs[run.workflow_id],
            shards.get(run.workflow_id, run_cache.Shards()),
            settings,
            places.get(run.workflow_id, 0),
        )
        for run in runs
    ]


def started_by(runs: Sequence[WorkflowStatus]) -> str:
    """Return who started a run; empty where that is not known."""
    return str((runs[0].attributes or {}).get(BY, "")) if runs else ""


def _places(runs: Sequence[WorkflowStatus], in_hand: Mapping[str, bool]) -> dict[str, int]:
    """Return which of some runs wait for others, with their places in the queue; those that are computed come first.

    A run is computed while a worker has one of its shards `in_hand`; where that is so of none, it is the oldest.
    """
    active = [run for run in runs if run.status in names.ACTIVE]
    order = [run.workflow_id for run in sorted(active, key=lambda run: (run.created_at or 0, run.workflow_id))]
    computed = [run for run in order if in_hand.get(run)] or order[:1]
    return {run: place for place, run in enumerate((each for each in order if each not in computed), len(computed) + 1)}


def labels(run: WorkflowStatus, connection: DBOSClient) -> Mapping[str, str]:
    """Map each shard of a run to its label, in their order, by what the queue stores."""
    if stored := (run.attributes or {}).get(LABELS):
        return dict(stored)
    if run.status == "SUCCESS":
        return {str(outcome["shard"]): str(outcome["label"]) for outcome in run.output or ()}
    return _parsed_labels(json.dumps(run_cache.specs([run], connection)[run.workflow_id]))


@lru_cache(maxsize=64)
def _parsed_labels(text: str) -> Mapping[str, str]:
    """Map each shard of a spec to its label: of a run that a version before queued, which stored no labels.

    Not to be changed. Empty where the spec is not understood any more: the other runs are listed all the same.
    """
    from isogloss.backend.experiments import registry

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
    share = (len(outcomes) + (now[1] if now else 0.0)) / max(len(labels), 1)
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
        share=run_cache.furthest(run.workflow_id, min(1.0, share), active=run.status in names.ACTIVE),
        created_at=created,
        finished_at=finished,
        shards=tuple(labels),
        place=place,
        seconds=None if finished is None else _seconds(outcomes, finished - created),
        by=started_by([run]),
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
