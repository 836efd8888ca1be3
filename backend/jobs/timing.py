"""Note how long a shard took on this machine, from when a worker took it up to its result: what prices rest on."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import ValidationError

from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.training import WAITING, folder_of
from isogloss.backend.jobs import busy
from isogloss.backend.jobs.device import describe
from isogloss.backend.store import times
from isogloss.backend.store.times import Taken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.experiments.pricing.estimate import Work
    from isogloss.backend.experiments.spec import Context, Spec

log = logging.getLogger("isogloss.worker")


@contextmanager
def timed(spec: Spec, shard: str, context: Context, between: float = 0.0) -> Iterator[Context]:
    """Yield the context to compute a shard with; on a clean exit note its seconds, less what it waited for the processor.

    Not those of a shard that was there already, which reports no progress, nor of one that another worker, or this one before
    it was stopped, computed in part, nor of two kinds of work, where no clock says which took how long.

    `between` are the seconds since the end of its run's last shard, which are part of its start: of many small shards, much.
    """
    work, whole = _work(spec, shard, context), not folder_of(shard, context).exists()
    reported: list[tuple[float, float]] = []  # the share that is done, and after how many seconds
    waited = False

    def progress(what: str, share: float) -> None:
        nonlocal waited
        waited = waited or what.startswith(WAITING)
        reported.append((share, time.perf_counter() - started))
        context.progress(what, share)

    machine = describe(context.settings.device)
    started, before = time.perf_counter(), busy.turns()
    yield replace(context, progress=progress)
    # Alone: a price says how busy the machine is when it is asked for, which counted twice otherwise.
    slowdown = busy.turns().slowdown_since(before, machine.threads if machine.kind == "cpu" else 1)
    seconds = (between + time.perf_counter() - started) / slowdown
    if work is None or work.beside is not None or waited or not (whole and reported):
        return
    start = (between + next((after for share, after in reported if share > reported[0][0]), 0.0)) / slowdown
    try:
        taken = Taken(seconds, work.amount, work.like, machine.alike, start, slowdown)
        times.add(context.workspace, spec.experiment, taken)
    except (IsoglossError, ValidationError) as error:
        log.warning("how long shard %s took was not noted: %s", shard, error)


def _work(spec: Spec, shard: str, context: Context) -> Work | None:
    """Return how much work the shard is before it is done; None where that cannot be said."""
    try:
        place = Place(tuple(context.workspaces), describe(context.settings.device).precision)
        return registry.work(spec, shard, place)
    except IsoglossError:
        return None
