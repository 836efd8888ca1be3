"""The worker process: takes shards from the durable queue and computes them, one at a time."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dbos import DBOS, DBOSConfig

from isogloss.backend.errors import StoreError
from isogloss.backend.jobs import database_errors, device, journal, names, niceness, queues, quiet, recovery, slots, starter
from isogloss.backend.jobs.watch import looking, record
from isogloss.backend.store import cache

if TYPE_CHECKING:
    from isogloss.backend.settings import Settings

log = logging.getLogger("isogloss.worker")
IDLE_SECONDS = 30.0
"""A worker that ends when nothing is left waits so long for more: the next command of a script need not start another."""


def work(settings: Settings, stop: threading.Event | None = None, *, until_empty: bool = False) -> None:
    """Run a worker until SIGTERM, SIGINT or `stop`. Another worker, or the next one, takes up the shard of a killed one.

    With `until_empty` it also ends once nothing has waited, been computed or been watched for `IDLE_SECONDS`.

    Raises `StoreError` where the workspace cannot be written or the queue's database cannot be reached.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read at the first product: equal seeds, equal results
    slot = slots.take(settings.workspace, slots.machine_of(settings))
    asked: list[int] = []
    for name in (signal.SIGTERM, signal.SIGINT):
        # No event is set: a signal in the middle of another, from a terminal and then `make`, would wait for its lock for ever.
        signal.signal(name, lambda number, _: asked.append(number))
    launch(settings, slot.executor)
    slot.describe(None)
    log.info("worker %s is ready", slot.executor)
    keeper = recovery.Keeper(slot, settings.workspace, settings.silence_seconds)
    threading.Thread(target=_keep, args=(keeper,), name="keeper", daemon=True).start()
    threading.Thread(target=looking.for_ever, args=(settings,), name="watches", daemon=True).start()
    cache.remove_unfinished(settings.workspace, older_than_seconds=3600)
    machine = device.of_worker(settings)  # torch is imported only now: jobs are accepted meanwhile
    niceness.give_way(niceness.niceness(settings, machine))
    try:
        slot.describe(replace(machine, starting=time.process_time()))
    except StoreError as error:  # a full disk: pages do without it. To raise would leave a worker that only takes work
        log.warning("what this machine is was not noted: %s", error)
    idle_since = looked = time.monotonic()
    while not (asked or (stop is not None and stop.is_set())):
        time.sleep(0.2)
        if until_empty and time.monotonic() - looked > IDLE_SECONDS / 10:
            looked = time.monotonic()
            if not queues.is_empty() or record.alive(settings.workspace, by_worker=True):
                idle_since = time.monotonic()
            elif looked - idle_since > IDLE_SECONDS:
                break
    _end(settings, slot, another=until_empty and not asked)


def _end(settings: Settings, slot: slots.Slot, *, another: bool) -> None:
    """Give up the slot and end the process; start `another` worker first where something was queued meanwhile.

    The current shard is left as if killed, and taken up by another worker: waiting for it could take minutes. Whoever queues a
    run looks for a living worker afterwards: either he finds none, or this one finds the run.
    """
    with suppress(OSError):
        slot.release()
    if another and not queues.is_empty():
        with suppress(StoreError):  # whoever follows the run tries again
            starter.ensure_worker(settings, until_empty=True)
    _leave(0)


def _keep(keeper: recovery.Keeper) -> None:
    """Watch over this worker and the others for as long as it lives, and end it where another took it for dead."""
    while not keeper.slot.is_lost():
        try:
            keeper.look()
        except Exception as error:  # noqa: BLE001 — without its watch a worker is soon taken for dead: the next look may do
            log.warning("the other workers could not be looked at, which is tried again: %s", error)
        time.sleep(keeper.pause)
    log.error("worker %s stops: it was not heard of for too long, and others take up its work.", keeper.slot.executor)
    _leave(1)


def _leave(code: int) -> None:
    """End the process at once, whatever its threads do."""
    logging.shutdown()
    os._exit(code)


def launch(settings: Settings, executor: str) -> None:
    """Connect to the queue (creating it where it is new) and begin to take work.

    Raises `StoreError` where its database cannot be reached.
    """
    from isogloss.backend.jobs import workflows  # noqa: F401 — its decorators register what the queue may run

    config: DBOSConfig = {
        "name": names.APPLICATION,
        "system_database_url": settings.system_database_url,
        "application_version": names.VERSION,
        "executor_id": executor,
        "log_level": "WARNING",
    }
    if settings.queue_url is None:
        config["db_engine_kwargs"] = journal.speed_up(settings.sqlite_path)
    talk = logging.getLogger("dbos")
    with database_errors.as_store_errors(settings):
        DBOS(config=config)
        talk.disabled = True  # an error at its start is raised as well, and shown as a sentence
        DBOS.launch()
        talk.disabled = False
        talk.addFilter(quiet.Quiet())
        queues.register()
