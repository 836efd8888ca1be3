"""The two queues of a worker, and how often it asks them for work."""

from __future__ import annotations

from contextlib import suppress

from dbos import DBOS
from dbos import error as dbos_error
from sqlalchemy.exc import SQLAlchemyError

from isogloss.backend.jobs import names

ASKING_SECONDS = 0.3
HURRIED_SECONDS = 0.03
"""While shards are small: a worker would else wait for longer than it computes. To ask so often takes a twentieth of a core."""
SMALL_SECONDS = 1.0

in_hand: set[str] = set()
"""The runs and shards that this process has begun and not ended."""


def register() -> None:
    """Declare the queues; called by each worker when it has launched."""
    DBOS.register_queue(names.RUNS, worker_concurrency=names.RUNS_AT_ONCE, polling_interval_sec=ASKING_SECONDS)
    DBOS.register_queue(names.SHARDS, worker_concurrency=1, polling_interval_sec=ASKING_SECONDS)


def is_empty() -> bool:
    """Return whether nothing waits or is computed, here or elsewhere; not where the database does not answer."""
    with suppress(SQLAlchemyError, dbos_error.DBOSException):
        return not DBOS.list_workflows(status=names.ACTIVE, limit=1, load_input=False, load_output=False)
    return False


def adapt(seconds: float | None) -> None:
    """Have all workers ask often after a shard that took few `seconds`, seldom after a long one or (None) without any.

    Nothing else hangs on it: where the database is away, the next shard says it again.
    """
    wanted = ASKING_SECONDS if seconds is None or seconds >= SMALL_SECONDS else HURRIED_SECONDS
    with suppress(SQLAlchemyError, dbos_error.DBOSException):
        queue = DBOS.retrieve_queue(names.SHARDS)
        if queue is not None and queue.polling_interval_sec != wanted:
            queue.set_polling_interval_sec(wanted)
