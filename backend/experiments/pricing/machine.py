"""What a worker says of the machine that it computes on: pages show it, and prices rest on shards of such a machine alone."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Machine:
    """The device of a worker, and in which precision it encodes texts."""

    kind: Literal["cpu", "cuda"]
    name: str
    """`CPU`, or what the driver calls the GPU."""
    threads: int
    """Of a CPU, those that compute together."""
    processor: str = ""
    """The model of the CPU; empty in a report of a version that did not say it."""
    precision: str = "float32"
    why_precision: str = ""
    memory: int = 0
    """Bytes that a model may take there; 0 in a report of a version that did not say it."""
    starting: float = 0.0
    """Seconds of the processor from the worker's start until it said this; 0 in a report of a version that did not."""
    measured_at: float = 0.0
    """When the worker said this, in seconds since the epoch."""

    @property
    def device(self) -> str:
        """The device for people: `CPU, 4 threads`, or the name of the GPU."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.name}, {threads}" if self.kind == "cpu" else self.name

    @property
    def alike(self) -> str:
        """Name what machines of one speed have in common: hardware, not the host's name, which containers change."""
        return f"{self.processor}, {self.device}" if self.kind == "cpu" else self.name


def read(report: Mapping[str, Any]) -> Machine | None:
    """Return the machine in a worker's report, of this version or of the one before; None where the worker has not said it."""
    found = report.get("machine") or report.get("speed")
    known = [field.name for field in fields(Machine)]
    return Machine(**{name: found[name] for name in known if name in found}) if found else None


@cache
def processor() -> str:
    """Return the model of this machine's CPU, as its system calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
