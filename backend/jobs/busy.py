"""How much longer work takes on a machine that others use too: what prices are raised by, and say so."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.experiments.estimate import Estimate
    from backend.experiments.speed import Speed

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


def adapted(estimate: Estimate | None, speed: Speed | None) -> Estimate | None:
    """Return the estimate as it is on this machine just now, saying so. A GPU's, and what no processor decides, stay.

    An estimate from the worker's measurement, which is of an idle machine, is raised; one from earlier computations says so.
    """
    if estimate is None or not estimate.computes or speed is None or speed.kind != "cpu":
        return estimate
    factor = slowdown()
    if factor == 1.0:
        return estimate
    raised = estimate.basis == speed.basis
    return replace(estimate, seconds=estimate.seconds * (factor if raised else 1.0), busy=factor, raised=raised)
