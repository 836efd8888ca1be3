"""How much longer work takes on a machine that others use too: prices say so."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from isogloss.backend.jobs.niceness import THREADS

if TYPE_CHECKING:
    from isogloss.backend.experiments.estimate import Estimate
    from isogloss.backend.experiments.machine import Machine

BUSY = 1.5
"""Processes that want to compute, for each core, above which a machine is called busy: a worker alone takes 1."""


def slowdown() -> float:
    """Return the factor by which computing on the CPU takes longer just now; 1 where the machine is not busy.

    By the average load of the last minute: so many processes share the cores.
    """
    try:
        share = os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:  # not every system says it
        return 1.0
    return share if share > BUSY else 1.0


def adapted(estimate: Estimate | None, machine: Machine | None) -> Estimate | None:
    """Return the estimate with how busy the machine is just now. Of a GPU it stays as it is, and what earlier shards took."""
    if estimate is None or machine is None or machine.kind != "cpu":
        return estimate
    return replace(estimate, busy=slowdown())


@dataclass(frozen=True)
class Turns:
    """How long the threads of this process had the processor since they began, and how long they waited for it."""

    ran: float
    waited: float

    def slowdown_since(self, before: Turns) -> float:
        """Return how many times as long it took because others had the processor; 1 where nothing ran."""
        ran, waited = self.ran - before.ran, self.waited - before.waited
        return 1 + max(0.0, waited) / ran if ran > 0 else 1.0


def turns() -> Turns:
    """Read what Linux counts of this process; zeros elsewhere."""
    ran = waited = 0.0
    for path in THREADS.glob("*/schedstat"):
        with suppress(OSError, ValueError):  # a thread that just ended
            on, off, _ = path.read_text(encoding="ascii").split()
            ran, waited = ran + int(on) / 1e9, waited + int(off) / 1e9
    return Turns(ran, waited)
