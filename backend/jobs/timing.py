"""Note how long a shard took on this machine, from when a worker took it up to its result: what prices rest on."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.training import WAITING, folder_of
from isogloss.backend.jobs import busy
from isogloss.backend.jobs.device import describe
from isogloss.backend.store import scored_layers, times
from isogloss.backend.store.times import Taken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.experiments.pricing.estimate import Work
    from isogloss.backend.experiments.spec import Context, Spec

log = logging.getLogger("isogloss.worker")
ENCODES = ("loading", "encoding")
"""What a report of progress begins with while vectors are made; other reports of such a shard are of what is made of them."""


class Reported(NamedTuple):
    """A report of progress: what is done, the share of the shard that is done, and after how many seconds."""

    what: str
    share: float
    after: float


@contextmanager
def timed(spec: Spec, shard: str, context: Context, between: float = 0.0) -> Iterator[Context]:
    """Yield the context to compute a shard with; on a clean exit note its seconds, less what it waited for the processor.

    Not those of a shard that was there already, which reports no progress, nor of one that another worker, or this one before
    it was stopped, computed in part. Of two kinds of work, encoding and what is made of it, each has a note of its own.

    `between` are the seconds since the end of its run's last shard, which are part of its start: of many small shards, much.
    """
    work = _work(spec, shard, context)
    whole = not (folder_of(shard, context).exists() or scored_layers.place_of(context.workspace, shard).exists())
    reported: list[Reported] = []

    def progress(what: str, share: float) -> None:
        reported.append(Reported(what, share, time.perf_counter() - started))
        context.progress(what, share)

    machine = describe(context.settings.device)
    started, before = time.perf_counter(), busy.turns()
    yield replace(context, progress=progress)
    # Alone: a price says how busy the machine is when it is asked for, which counted twice otherwise.
    slowdown = busy.turns().slowdown_since(before, machine.threads if machine.kind == "cpu" else 1)
    after = time.perf_counter() - started
    if work is None or not (whole and reported) or any(each.what.startswith(WAITING) for each in reported):
        return
    at_once = work.like[0].startswith("scoring")  # from kept vectors: its first report is of work, not of what precedes it
    rose = reported[0].after if at_once else next((each.after for each in reported if each.share > reported[0].share), 0.0)
    try:
        for of, seconds, begun in _each_kind(work, reported, between, after, between + rose):
            taken = Taken(seconds / slowdown, of.amount, of.like, machine.alike, begun / slowdown, slowdown)
            times.add(context.workspace, spec.experiment, taken)
    except (IsoglossError, ValidationError) as error:
        log.warning("how long shard %s took was not noted: %s", shard, error)


def _each_kind(
    work: Work, reported: list[Reported], between: float, after: float, start: float
) -> list[tuple[Work, float, float]]:
    """Return each kind of work of a shard with the seconds that it took, and those of them before progress rose.

    What a report begins lasts until the next one; the last until the end, `after` seconds. What comes before is its start.
    """
    if work.beside is None:
        return [(work, between + after, start)]
    ends = [*(each.after for each in reported[1:]), after]
    encoding = sum(end - each.after for each, end in zip(reported, ends, strict=True) if each.what.startswith(ENCODES))
    encoding += between + reported[0].after
    scoring = between + after - encoding
    return [(work, encoding, min(start, encoding)), *([(work.beside, scoring, 0.0)] if scoring > 0 else [])]


def _work(spec: Spec, shard: str, context: Context) -> Work | None:
    """Return how much work the shard is before it is done; None where that cannot be said."""
    try:
        place = Place(tuple(context.workspaces), describe(context.settings.device).precision)
        return registry.work(spec, shard, place)
    except IsoglossError:
        return None
