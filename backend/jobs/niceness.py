"""A worker gives way: what else the machine does, the dashboard first of all, gets the processor before it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isogloss.backend.experiments.pricing.machine import Machine
    from isogloss.backend.settings import Settings

NICENESS = 5
"""Of a worker that computes on the CPU: it gets a quarter of a core that others want as well, and all that they leave.

At 10 it is a tenth, halved again on two cores where Linux groups processes by session (a group's weight is shared out among the
cores that it runs on): beside two busy programs a sweep of minutes took hours.
"""
THREADS, GROUP = Path("/proc/self/task"), Path("/proc/self/autogroup")


def niceness(settings: Settings, machine: Machine) -> int:
    """Return how nice a worker is to be: as it is set, else 0 with a GPU, whose host thread would have the card wait."""
    if settings.worker_nice is not None:
        return settings.worker_nice
    return NICENESS if machine.kind == "cpu" else 0


def give_way(nice: int) -> None:
    """Lower the priority of this process by `nice` (1 to 19), with all threads that it has and will have.

    A worker that is nicer already stays so. Where the system allows nothing of the kind, it goes on as it is.
    """
    if nice <= 0 or not hasattr(os, "setpriority"):
        return
    changed = True
    while changed:  # on Linux each thread has a niceness of its own, which it hands on: until none is new
        changed = sum(_lower(thread, nice) for thread in _threads()) > 0
    _lower_group(nice)


def _threads() -> list[int]:
    """Return the ids of this process's threads; 0, the process, on a system whose threads have no priority of their own."""
    try:
        return [int(each.name) for each in THREADS.iterdir()]
    except OSError:
        return [0]


def _lower(thread: int, nice: int) -> bool:
    """Return whether the thread's priority was lowered; False where it is so low already, or gone, or stays."""
    with suppress(OSError):
        if os.getpriority(os.PRIO_PROCESS, thread) < nice:
            os.setpriority(os.PRIO_PROCESS, thread, nice)
            return os.getpriority(os.PRIO_PROCESS, thread) >= nice
    return False


def _lower_group(nice: int) -> None:
    """Lower the priority of the session, if it is this process's own.

    Where Linux groups processes by session, niceness counts within a session alone, and a worker that the dashboard started has
    one of its own: without this it would share the machine with the dashboard half and half.
    """
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            GROUP.write_text(str(nice), encoding="ascii")
