"""The durable workflows: a run hands its shards to the queue; a shard is one step. Imported by the worker alone.

What the queue stores of a run is JSON text; a shard's result is its file. A shard that fails returns its reason, so that
one bad checkpoint does not stop the others.
"""

from __future__ import annotations

import json
import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from dbos import DBOS, SetWorkflowID

from isogloss.backend import device_memory
from isogloss.backend.errors import IsoglossError, StoreError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.jobs import memory, names, progress, queues, slots, timing
from isogloss.backend.jobs.lost_workers import Losses
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dbos import WorkflowStatus

    from isogloss.backend.experiments.spec import Labelled, Spec

log = logging.getLogger("isogloss.worker")
WAITING_SECONDS = 0.3
LOST = "It was cancelled."
# Whichever thread of the queue's pool has a shard: each would keep memory of its own (the C library's, MKL's), job by job.
_ONE_THREAD = ThreadPoolExecutor(1, "shards")
_last: tuple[str, float] = ("", 0.0)
"""The run of the shard that this worker computed last, and when that ended, by `time.perf_counter`."""
BETWEEN_SECONDS = 10.0
"""A longer time between two shards of a run is no matter of the queue: it was cancelled and goes on."""
_WAITING = ThreadPoolExecutor(names.RUNS_AT_ONCE, "runs")


@DBOS.workflow(name=names.RUN, max_recovery_attempts=None)
def run(spec_json: str) -> list[dict[str, Any]]:
    """Queue every shard of the spec and wait for all; returns for each its shard, label and failure (a reason or None)."""
    run_id = str(DBOS.workflow_id)
    labels = {shard: piece.label for shard, piece in _shards(spec_json).items()}
    with _in_hand(run_id):
        for shard in labels:
            with SetWorkflowID(f"{run_id}.{shard}"):
                DBOS.enqueue_workflow(names.SHARDS, shard_of_run, run_id, shard)
        outcomes = _WAITING.submit(_outcomes, run_id).result()
    return [{"label": label} | outcomes.get(shard, {"shard": shard, "failed": LOST}) for shard, label in labels.items()]


def _outcomes(run_id: str) -> dict[str, dict[str, Any]]:
    """Wait until every shard of a run is over, and return what each said, by shard.

    One question about all, on a thread of which the queue knows nothing: it would write a line to the database for the wait for
    each. A worker that goes on with the run asks again, and gets the same answers.
    """
    while True:
        started = time.perf_counter()
        if not DBOS.list_workflows(
            parent_workflow_id=run_id, status=names.ACTIVE, limit=1, load_input=False, load_output=False
        ):
            break
        # To ask takes longer the more shards there are: a tenth of the time at most.
        time.sleep(max(WAITING_SECONDS, 10 * (time.perf_counter() - started)))
    shards = DBOS.list_workflows(parent_workflow_id=run_id, name=names.SHARD, load_input=False)
    return {each.workflow_id.removeprefix(f"{run_id}."): _outcome(each, run_id) for each in shards}


def _outcome(shard: WorkflowStatus, run_id: str) -> dict[str, Any]:
    if isinstance(shard.output, dict):
        return shard.output
    failed = f"The queue gave it up: {shard.error}" if shard.error else LOST
    return {"shard": shard.workflow_id.removeprefix(f"{run_id}."), "failed": failed}


@DBOS.workflow(name=names.SHARD, max_recovery_attempts=None)
def shard_of_run(source: str, shard: str) -> dict[str, Any]:
    """Compute one shard, on the thread of all shards; returns the reason, as a sentence, where it fails.

    `source` is the run's id (the spec of a run of ten thousand shards is long), or the spec as JSON, as the version before had
    it. What is computed is no step of its own: where a worker is killed after it, the shard's file is found.
    """
    with _in_hand(str(DBOS.workflow_id)):
        return _ONE_THREAD.submit(_compute, source, shard, str(DBOS.workflow_id)).result()


@contextmanager
def _in_hand(workflow_id: str) -> Iterator[None]:
    queues.in_hand.add(workflow_id)
    try:
        yield
    finally:
        queues.in_hand.discard(workflow_id)


@lru_cache(maxsize=2)
def _run_of(source: str) -> tuple[str, float]:
    """Return the JSON of a spec and when its run began (seconds since 1970), from the run's id, or from the JSON itself."""
    if source.startswith("{"):
        return source, math.inf
    (found,) = DBOS.list_workflows(workflow_ids=[source], load_output=False)
    assert found.input is not None
    return str(found.input["args"][0]), math.inf if found.created_at is None else found.created_at / 1000


@lru_cache(maxsize=2)
def _parsed(spec_json: str) -> Spec:
    return registry.parse(json.loads(spec_json))


@lru_cache(maxsize=2)
def _shards(spec_json: str) -> Mapping[str, Labelled]:
    """The pieces of a spec, not to be changed: made once for all of a run, since each hashes what goes into it."""
    return _parsed(spec_json).shards()


def _compute(source: str, shard: str, workflow_id: str) -> dict[str, Any]:
    """Compute the shard; an expected failure becomes its message, a bug its type, with the traceback in the worker's log."""
    global _last  # of the one thread that computes
    started = time.perf_counter()
    between = started - _last[1] if _last[0] == source else 0.0
    outcome: dict[str, Any] = {"shard": shard, "failed": None}
    reporter = progress.Reporter(settings().workspace, workflow_id)
    losses = Losses.of(settings().workspace, workflow_id)
    try:
        if refused := losses.begin():
            raise StoreError(refused)
        text, began = _run_of(source)
        spec, upcoming = _parsed(text), _upcoming(_shards(text), shard, len(slots.alive(settings().workspace)))
        device_memory.forget()
        context = Context(settings(), reporter.report, _cancelled(workflow_id), upcoming, began)
        with timing.timed(spec, shard, context, between if between < BETWEEN_SECONDS else 0.0) as timed:
            registry.compute(spec, shard, timed)
    except Cancelled:
        outcome["failed"] = "Cancelled."
    except IsoglossError as error:
        outcome["failed"] = str(error)
    except BaseException as error:
        log.exception("shard %s failed", shard)
        outcome["failed"] = f"Unexpected {type(error).__name__}: {str(error)[:300]}. The worker's log has the details."
        if device_memory.is_short(error):
            outcome["failed"] = str(device_memory.ShortOfMemoryError("This does not fit into the memory of the device."))
    finally:
        reporter.clear()
        losses.forget()
    ended = time.perf_counter()
    _last, taken = (source, ended), ended - started
    memory.give_back_after(taken)
    queues.adapt(taken)
    return outcome | {"seconds": round(taken, 2)}


def _upcoming(shards: Mapping[str, Labelled], shard: str, workers: int) -> Checkpoint | None:
    """Guess the checkpoint that this worker comes to next: the other workers take those in between."""
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
