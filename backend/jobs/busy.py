"""How much longer work takes on a machine that others use too: prices say so."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.experiments.estimate import Estimate
    from backend.experiments.machine import Machine

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
