"""The queue's database as pages and the command line reach it. Imports no torch."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from dbos import DBOSClient

from isogloss.backend.errors import StoreError
from isogloss.backend.jobs import database_errors, names, slots, starter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.settings import Settings

_answered: set[str] = set()
"""URLs of queues that have answered this process: their tables exist, whether or not a worker is starting."""
_connecting = threading.Lock()


def _connect(url: str) -> DBOSClient:
    with _connecting:  # a session of the dashboard is a thread: the cache alone would let two of them connect at once
        return _connection(url)


@lru_cache(maxsize=8)
def _connection(url: str) -> DBOSClient:
    talk = logging.getLogger("dbos")
    if talk.level == logging.NOTSET:  # a worker, which has its own, looks at watches by such a connection too
        talk.setLevel(logging.CRITICAL)  # an error is raised as well, and shown as a sentence
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
            raise StoreError("No worker has started. Start one with `isogloss worker` and read what it prints.")
        time.sleep(0.1)
    with database_errors.as_store_errors(settings):
        yield _connect(settings.system_database_url)
        _answered.add(settings.system_database_url)
