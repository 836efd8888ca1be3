"""The durable workflows: a run hands its shards to the queue; a shard is one step. Imported by the worker alone.

What the queue stores of a run is JSON text; a shard's result is its file. A shard that fails returns its reason, so that
one bad checkpoint does not stop the others.
"""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from dbos import DBOS, SetWorkflowID

from backend.errors import IsoglossError
from backend.experiments import registry
from backend.experiments.spec import Cancelled, Context, Spec
from backend.jobs import memory, names, progress, slots
from backend.models.entry import Checkpoint
from backend.settings import settings

log = logging.getLogger("isogloss.worker")
# Whichever thread of the queue's pool has a shard: each would keep memory of its own (the C library's, MKL's), job by job.
_ONE_THREAD = ThreadPoolExecutor(1, "shards")


@DBOS.workflow(name=names.RUN, max_recovery_attempts=None)
def run(spec_json: str) -> list[dict[str, Any]]:
    """Queue every shard of the spec and wait for all; returns for each its shard, label and failure (a reason or None)."""
    run_id = str(DBOS.workflow_id)
    spec = registry.parse(json.loads(spec_json))
    handles = []
    for shard, checkpoint in spec.shards().items():
        with SetWorkflowID(f"{run_id}.{shard}"):
            handles.append((checkpoint.label, DBOS.enqueue_workflow(names.SHARDS, shard_of_run, spec_json, shard)))
    outcomes = []
    for label, handle in handles:
        outcomes.append({"label": label} | handle.get_result(polling_interval_sec=0.3))
    return outcomes


@DBOS.workflow(name=names.SHARD, max_recovery_attempts=None)
def shard_of_run(spec_json: str, shard: str) -> dict[str, Any]:
    """Compute one shard as one step; returns the reason, as a sentence, where it fails."""
    return compute_shard(spec_json, shard, str(DBOS.workflow_id))


@DBOS.step(name="compute")
def compute_shard(spec_json: str, shard: str, workflow_id: str) -> dict[str, Any]:
    """Compute the shard, on the thread of all shards; returns as `_compute` does."""
    return _ONE_THREAD.submit(_compute, spec_json, shard, workflow_id).result()


def _compute(spec_json: str, shard: str, workflow_id: str) -> dict[str, Any]:
    """Compute the shard; an expected failure becomes its message, a bug its type, with the traceback in the worker's log."""
    started = time.perf_counter()
    outcome: dict[str, Any] = {"shard": shard, "failed": None}
    reporter = progress.Reporter(settings().workspace, workflow_id)
    try:
        spec = registry.parse(json.loads(spec_json))
        upcoming = _upcoming(spec, shard, len(slots.alive(settings().workspace)))
        registry.compute(spec, shard, Context(settings(), reporter.report, _cancelled(workflow_id), upcoming))
    except Cancelled:
        outcome["failed"] = "Cancelled."
    except IsoglossError as error:
        outcome["failed"] = str(error)
    except BaseException as error:
        log.exception("shard %s failed", shard)
        outcome["failed"] = f"Unexpected {type(error).__name__}: {str(error)[:300]}. The worker's log has the details."
    finally:
        reporter.clear()
    memory.give_back()
    return outcome | {"seconds": round(time.perf_counter() - started, 2)}


def _upcoming(spec: Spec, shard: str, workers: int) -> Checkpoint | None:
    """Guess the checkpoint that this worker comes to next: the other workers take those in between."""
    shards = spec.shards()
    found = next(islice(shards.values(), list(shards).index(shard) + max(1, workers), None), None)
    return found if isinstance(found, Checkpoint) else None


def _cancelled(workflow_id: str) -> Any:
    """Return whether the run was cancelled; asks the queue at most every two seconds."""
    last = [time.monotonic(), False]

    def ask() -> bool:
        if not last[1] and time.monotonic() - last[0] > 2:
            status = DBOS.get_workflow_status(workflow_id)
            last[:] = [time.monotonic(), status is not None and status.status == "CANCELLED"]
        return bool(last[1])

    return ask
