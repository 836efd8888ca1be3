"""A spec computed in this process, or by the workers of the queue, with a bar that moves."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from isogloss.backend.errors import IsoglossError, SpecError, StoreError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Cancelled, Context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.settings import Settings

Report = Callable[[str, float], None]
"""Gets what is being done, and how many of the shards are done."""
FRUITLESS = 5
"""Workers that are started without the run coming further."""
PAUSE = 0.3


class TimeUpError(IsoglossError):
    """What was asked for took longer than it might; the shards that were done by then are kept."""


def check(spec: Spec, settings: Settings) -> None:
    """Raise as `named.check_here` does, and `StoreError` where nothing can be computed here."""
    from isogloss.backend.experiments import named
    from isogloss.backend.jobs import starter

    named.check_here(spec, settings.workspaces)
    if why := starter.lacking():
        raise StoreError(why)


def here(spec: Spec, settings: Settings, report: Report, seconds: float | None = None) -> None:
    """Compute what is missing of a spec in this process, and publish it, shard by shard, as a worker would.

    It touches no queue. With `seconds` it ends after so many: `TimeUpError`. Raises what computing raises.
    """
    from isogloss.backend.jobs import timing

    end = None if seconds is None else time.monotonic() + seconds
    began = time.time()
    for number, shard in enumerate(spec.shards()):
        context = Context(
            settings,
            progress=lambda what, share, number=number: report(what, number + share),  # type: ignore[misc]
            should_stop=lambda: end is not None and time.monotonic() > end,
            since=began,
        )
        try:
            if context.should_stop():
                raise Cancelled
            with timing.timed(spec, shard, context) as timed:
                registry.compute(spec, shard, timed)
        except Cancelled:
            raise TimeUpError(f"{number} of {len(spec.shards())} shards were done in {seconds:g} seconds.") from None
        report("", number + 1)


def by_queue(spec: Spec, settings: Settings, report: Report) -> None:
    """Queue a spec, see to it that a worker is alive, and wait until the run is over.

    Raises `SpecError` with the first reason where it does not end well, `StoreError` where workers end one after the other.
    """
    from isogloss.backend.jobs import client, starter

    def worker() -> bool:
        return starter.ensure_worker(settings, until_empty=True)

    worker()
    run, fruitless, seen = client.submit(spec, settings), 0, ("", 0.0)
    while True:
        job = client.job(run, settings)
        if job is None:
            raise SpecError(f"{run} is no longer in the queue.")
        if (job.state, job.share) != seen:
            seen, fruitless = (job.state, job.share), 0
            report(job.doing or job.state, job.share * job.total)
        if job.state not in {"waiting", "running"}:
            break
        fruitless += worker()
        if fruitless > FRUITLESS:
            log = settings.workspace / "jobs" / "worker.log"
            raise StoreError(
                f"{FRUITLESS} workers ended before the run came further. Read {log}, then start `isogloss worker`."
            )
        time.sleep(PAUSE)
    if job.state != "done":
        reason = f"{job.failures[0][0]}: {job.failures[0][1]}" if job.failures else f"It was {job.state}."
        raise SpecError(f"Run {run} did not end well. {reason}")


@contextmanager
def bar(title: str, total: int, *, shown: bool) -> Iterator[Report]:
    """Yield what draws a bar of `total` shards on the terminal or in the notebook; nothing is drawn where it is not `shown`."""
    from tqdm import tqdm

    with tqdm(total=total, desc=title, disable=not shown, bar_format="{percentage:3.0f}% |{bar:20}| {desc}") as drawn:

        def report(what: str, done: float) -> None:
            drawn.set_description_str(f"{title}: {what}" if what else title, refresh=False)
            drawn.update(max(0.0, done - drawn.n))

        yield report
