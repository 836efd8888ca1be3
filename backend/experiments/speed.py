"""What a worker measured of its device when it started: what prices rest on. Written to the worker's file and read back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

CPU = re.compile(r"CPU, (\d+) thread")
"""The device in a report of the version before, which had a text for people alone."""


@dataclass(frozen=True)
class Speed:
    """Operations a second of matrix products, and the device that makes them."""

    kind: Literal["cpu", "cuda"]
    name: str
    """`CPU`, or what the driver calls the GPU."""
    threads: int
    """Of a CPU, those that were measured together."""
    encoding_flops: float
    """In the precision that texts are encoded in."""
    scoring_flops: float
    """In float32."""
    exact_flops: float = 0.0
    """In float64, of a GPU: some have as much of it as of float32, some a sixty-fourth. 0 where it was not measured."""
    precision: str = "float32"
    why_precision: str = ""
    measured_at: float = 0.0
    """Seconds since the epoch."""

    @property
    def device(self) -> str:
        """The device for people: `CPU, 4 threads`, or the name of the GPU."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.name}, {threads}" if self.kind == "cpu" else self.name

    @property
    def basis(self) -> str:
        """What an estimate says that rests on this alone."""
        return f"from a one-second measurement on {self.device}"

    @property
    def float64_flops(self) -> float:
        """In float64, in which triplets are compared; half of float32's where that was not measured, as on CPUs."""
        return self.exact_flops or self.scoring_flops / 2

    @property
    def retrieval_flops(self) -> float:
        """In what the nearest are searched for in: float32 on a CPU, float64 on a GPU."""
        return self.float64_flops if self.kind == "cuda" else self.scoring_flops

    def computed(self, provenance: Mapping[str, Any]) -> bool:
        """Whether what a file says of itself (`device`: `cpu`, `cuda (NVIDIA H100)`) was computed on such a device.

        Of a GPU the name decides: what one card takes says little of another.
        """
        device = str(provenance.get("device", ""))
        return device.startswith("cpu") if self.kind == "cpu" else f"({self.name})" in device


def read(report: Mapping[str, Any]) -> Speed | None:
    """The speed in a worker's report, of this version or of the one before; None where the worker has not measured yet."""
    found = report.get("speed")
    if found is None and "encoding_flops" in report:
        cpu = CPU.match(str(report["device"]))
        provenance = (
            {"kind": "cpu", "name": "CPU", "threads": int(cpu[1])} if cpu else {"kind": "cuda", "name": report["device"]}
        )
        found = {"threads": 1} | dict(report) | provenance
    known = [field.name for field in fields(Speed)]
    return Speed(**{name: found[name] for name in known if name in found}) if found else None
