"""What a process has read from the queue and what does not change: specs of runs, and how their shards ended.

A run may have ten thousand shards and a spec of megabytes, and pages ask for it every second or two: each is read once.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dbos import DBOSClient, WorkflowStatus

RUNS = 200
"""So many runs are remembered, those looked at last."""
OVERLAP_MS = 10_000
"""Shards that ended so shortly before the last that was seen are asked for again: what ends first may be written last."""


@dataclass
class Run:
    """What is known of one."""

    spec: dict[str, Any] | None = None
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What each shard said that came to its end, by its workflow."""
    last: int = 0
    """When the latest of them did, in ms by the database's clock."""
    share: float = 0.0
    """The most of it that was seen done while it was computed."""


@dataclass(frozen=True)
class Shards:
    """Those of a run that a worker took."""

    said: tuple[dict[str, Any], ...] = ()
    """What each said that came to its end. Not to be changed."""
    in_hand: tuple[str, ...] = ()
    """The workflows of those that workers have in hand."""


_runs: OrderedDict[str, Run] = OrderedDict()
_lock = threading.Lock()


def forget() -> None:
    """Forget everything, for tests."""
    _runs.clear()


def _known(run_id: str) -> Run:
    """Return what is known of a run; called under the lock."""
    found = _runs.setdefault(run_id, Run())
    _runs.move_to_end(run_id)
    while len(_runs) > RUNS:
        _runs.popitem(last=False)
    return found


def furthest(run_id: str, share: float, *, active: bool) -> float:
    """Return the most of a run that was seen done since it began: a shard that ends says so before its result is there."""
    with _lock:
        run = _known(run_id)
        run.share = max(run.share, share) if active else 0.0
        return run.share if active else share


def specs(runs: Sequence[WorkflowStatus], connection: DBOSClient) -> dict[str, dict[str, Any]]:
    """Return the spec of each run by its id, not to be changed."""
    with _lock:
        known = {run.workflow_id: _known(run.workflow_id) for run in runs}
    unknown = {run.workflow_id: run for run in runs if known[run.workflow_id].spec is None}
    if bare := [run_id for run_id, run in unknown.items() if run.input is None]:
        unknown |= {run.workflow_id: run for run in connection.list_workflows(workflow_ids=bare, load_output=False)}
    for run_id, run in unknown.items():
        assert run.input is not None
        known[run_id].spec = json.loads(run.input["args"][0])
    return {run_id: run.spec for run_id, run in known.items() if run.spec is not None}


def shards(run_ids: Iterable[str], connection: DBOSClient) -> dict[str, Shards]:
    """Return the shards of runs that a worker has in hand or that came to their end, in two queries for all runs."""
    if not (ids := list(run_ids)):
        return {}
    with _lock:
        known = {run_id: _known(run_id) for run_id in ids}
    since = max(0, min(run.last for run in known.values()) - OVERLAP_MS)
    after = datetime.fromtimestamp(since / 1000, UTC).isoformat() if since else None
    ended = connection.list_workflows(parent_workflow_id=ids, status="SUCCESS", completed_after=after, load_input=False)
    pending = connection.list_workflows(parent_workflow_id=ids, status="PENDING", load_input=False, load_output=False)
    in_hand: dict[str, list[str]] = defaultdict(list)
    with _lock:
        for shard in ended:
            if shard.status == "SUCCESS" and isinstance(shard.output, dict):
                run = known[str(shard.parent_workflow_id)]
                run.said[shard.workflow_id] = shard.output
                run.last = max(run.last, shard.completed_at or 0)
        for shard in pending:
            run_id = str(shard.parent_workflow_id)
            if shard.status == "PENDING" and shard.workflow_id not in known[run_id].said:
                in_hand[run_id].append(shard.workflow_id)
        return {run_id: Shards(tuple(run.said.values()), tuple(in_hand[run_id])) for run_id, run in known.items()}
