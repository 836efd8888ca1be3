"""The two queues of a worker, and how often it asks them for work."""

from __future__ import annotations

from contextlib import suppress
from math import sqrt

from dbos import DBOS
from dbos import error as dbos_error
from sqlalchemy.exc import SQLAlchemyError

from isogloss.backend.jobs import names

ASKING_SECONDS = 0.3
"""At most, between two questions; at least `HURRIED_SECONDS`: to ask so often takes a twentieth of a core."""
HURRIED_SECONDS = 0.03
QUESTION_SECONDS = 0.0015
"""Of the processor, to ask once."""

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


def interval(shard: float) -> float:
    """Return the seconds between two questions that cost a worker least while its shards take so many.

    To ask every i seconds takes it d · 0.0015 / i of a shard of d seconds, and i / 2 until the next one is taken up: the sum is
    least at i = √(0.003 d).
    """
    return min(ASKING_SECONDS, max(HURRIED_SECONDS, sqrt(2 * QUESTION_SECONDS * shard)))


def adapt(seconds: float | None) -> None:
    """Have all workers ask as often as suits a shard that took so many `seconds`, or seldom without any (None).

    Told to the queue, which keeps it in its database, where it is another by a quarter. Nothing else hangs on it: where the
    database is away, the next shard says it again.
    """
    wanted = ASKING_SECONDS if seconds is None else interval(seconds)
    with suppress(SQLAlchemyError, dbos_error.DBOSException):
        queue = DBOS.retrieve_queue(names.SHARDS)
        if queue is not None and not 0.75 <= wanted / queue.polling_interval_sec <= 1.25:
            queue.set_polling_interval_sec(wanted)
