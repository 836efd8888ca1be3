"""How much longer work takes on a machine that others use too: prices say so, and the time noted of a shard omits it."""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from isogloss.backend.jobs import slots
from isogloss.backend.jobs.niceness import THREADS, niceness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from isogloss.backend.experiments.pricing.estimate import Estimate
    from isogloss.backend.settings import Settings

PROCESSES = Path("/proc")
BUSY = 0.5
"""Cores that others use, above which a machine is called busy: a browser that draws a page takes less."""
TOGETHER = 1.25
"""Threads that compute together wait for the slowest: their slowdown is that of one to this power. Measured with two threads
beside one to four busy programs: 1.1 for a scoring's products and sorting, 1.3 to 1.5 for an encoder's many short steps."""
SLIGHT = 1.3
"""What a worker's own threads wait for one another on a quiet machine: 1.05 to 1.23. Not others' doing, so no part of it."""
LEVEL = 1.25
"""Linux gives a process so much less of a core, beside others, for each level of niceness."""
FULL = 0.9
"""Of the cores in use, above which some may wait for one: then the load says how many would compute. That of a minute and
that of five, since a run of minutes outlives a burst."""
LOAD_SECONDS = 60.0, 300.0, 900.0
"""What the three figures of the load are means of."""
WINDOW_SECONDS = 5.0
"""Short: the work of a worker that began and ended since a look cannot be told from that of others."""
SAMPLE_SECONDS = 0.05


@dataclass(frozen=True)
class Look:
    """What the machine's cores had done at a moment, in seconds of one core since it started."""

    moment: float
    everyone: float
    ours: dict[int, float]
    """Of it this process and the workers of its workspace, by pid: a run that is asked for now begins when theirs end."""


_looks: deque[Look] = deque(maxlen=64)
"""Of the last seconds, so that the load of a run that has just ended does not count. Kept between the draws of a page."""


def adapted(estimate: Estimate | None, settings: Settings) -> Estimate | None:
    """Return the estimate with how busy the machine is just now, and with a worker's start where none is alive.

    What computes on a GPU is not slowed down.
    """
    machine = slots.machine(settings.workspace) if estimate else None
    if estimate is None or machine is None:
        return estimate
    if estimate.seconds and not slots.alive(settings.workspace):
        estimate = replace(estimate, seconds=estimate.seconds + machine.starting)
    if machine.kind != "cpu":
        return estimate
    factor = slowdown(settings, niceness(settings, machine), machine.threads)
    return replace(estimate, busy=_while_it_lasts(estimate.seconds, factor, settings))


def _while_it_lasts(alone: float, factor: float, settings: Settings) -> float:
    """Return by which factor `alone` seconds take longer where others compute for as long again as they have, not for ever.

    What was promised for hours by the load of a minute took as long as alone, mostly.
    """
    if factor == 1.0 or not alone:
        return factor
    lasts = lasting(settings)
    return factor if alone * factor <= lasts else (lasts + alone - lasts / factor) / alone


def lasting(settings: Settings) -> float:
    """Return for how many seconds others will compute: as long again as they have.

    Of anything that ends at an unknown time, as many last longer as last shorter. They have computed for the median age of the
    processes that do, or longer, by the load: programs may follow one another, or be out of sight, as from a container.
    """
    ours = {os.getpid(), *_workers(settings)}
    ages = []
    with suppress(OSError, ValueError, IndexError):
        uptime = float(_words(PROCESSES / "uptime")[0])
        ticks = os.sysconf("SC_CLK_TCK")
        for path in PROCESSES.glob("[0-9]*/stat"):
            with suppress(OSError, ValueError, IndexError):  # one that just ended
                state, *fields = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                if state == "R" and int(path.parent.name) not in ours:
                    ages.append(uptime - int(fields[18]) / ticks)
    now, *before = os.getloadavg()
    loaded = [seconds for load, seconds in zip(before, LOAD_SECONDS[1:], strict=True) if load >= now / 2]
    return max([*loaded, LOAD_SECONDS[0], *([median(ages)] if ages else [])])


def slowdown(settings: Settings, nice: int, threads: int) -> float:
    """Return by which factor a worker takes longer just now; 1 where the machine is not busy.

    It gets of a core what its niceness leaves it beside as many others as there are for each core.
    """
    wanted = others(settings)
    if wanted < BUSY:
        return 1.0
    beside = 1 + wanted / (os.cpu_count() or 1) * LEVEL**nice
    return float(beside**TOGETHER) if threads > 1 else beside


def others(settings: Settings) -> float:
    """Return how many cores' work others than Isogloss want done just now; 0 on a system that does not say it."""
    try:
        before, now = _two_looks(_workers(settings))
        cores = os.cpu_count() or 1
        seconds, used = now.moment - before.moment, now.everyone - before.everyone
        ours = sum(spent - before.ours.get(pid, 0.0) for pid, spent in now.ours.items())
        waiting = sum(os.getloadavg()[:2]) / 2 / cores if used >= FULL * cores * seconds else 1.0
    except (OSError, ValueError, IndexError):
        return 0.0
    return max(0.0, used - ours) / seconds * max(1.0, waiting)


def _workers(settings: Settings) -> list[int]:
    """Return the processes of the living workers of a workspace."""
    return [report.pid for report in slots.alive(settings.workspace) if report.pid]


def _two_looks(pids: Sequence[int]) -> tuple[Look, Look]:
    """Return the oldest look of the last seconds, else one of just before, and the look of now."""
    now = _look(pids)
    while _looks and not (
        now.moment - WINDOW_SECONDS <= _looks[0].moment <= now.moment and now.ours.keys() >= _looks[0].ours.keys()
    ):
        _looks.popleft()
    if not _looks or now.moment - _looks[0].moment < SAMPLE_SECONDS:
        _looks.append(now)
        time.sleep(SAMPLE_SECONDS)
        now = _look(pids)
    before = _looks[0]
    if now.moment - _looks[-1].moment > WINDOW_SECONDS / 20:  # a page may ask for many prices at once
        _looks.append(now)
    return before, now


def _look(pids: Iterable[int]) -> Look:
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _waiting, interrupts, soft, *_ = map(int, _words(PROCESSES / "stat")[1:9])
    ours = {os.getpid(): time.process_time()}
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):  # one that just ended
            after_name = (PROCESSES / str(pid) / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
            ours[pid] = sum(map(int, after_name.split()[11:13])) / ticks
    return Look(time.monotonic(), (user + nice + system + interrupts + soft) / ticks, ours)


def _words(path: Path) -> list[str]:
    with open(path, encoding="ascii", errors="replace") as lines:
        return lines.readline().split()


@dataclass(frozen=True)
class Turns:
    """How long the threads of this process had the processor since they began, and how long they waited for it."""

    ran: float
    waited: float

    def slowdown_since(self, before: Turns, threads: int = 1) -> float:
        """Return how many times as long it took because others had the processor; 1 where nothing ran, and below `SLIGHT`.

        A thread that waits for another which has no core spins, which counts as running: see `TOGETHER`.
        """
        ran, waited = self.ran - before.ran, self.waited - before.waited
        alone = 1 + max(0.0, waited) / ran if ran > 0 else 1.0
        slowdown = float(alone**TOGETHER) if threads > 1 else alone
        return slowdown if slowdown >= SLIGHT else 1.0


def turns() -> Turns:
    """Read what Linux counts of this process; zeros elsewhere."""
    ran = waited = 0.0
    for path in THREADS.glob("*/schedstat"):
        with suppress(OSError, ValueError):  # a thread that just ended
            on, off, _ = path.read_text(encoding="ascii").split()
            ran, waited = ran + int(on) / 1e9, waited + int(off) / 1e9
    return Turns(ran, waited)
