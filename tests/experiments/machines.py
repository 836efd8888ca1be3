"""Machines, as their workers would describe them, and shards that they computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.pricing.machine import Machine
from isogloss.backend.settings import settings
from isogloss.backend.store import times
from isogloss.backend.store.times import Taken

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CPU = Machine(kind="cpu", name="CPU", threads=2, processor="Xeon 8480C")


def gpu(name: str = "NVIDIA H100") -> Machine:
    return Machine(kind="cuda", name=name, threads=8, processor="Xeon 8480C", precision="bfloat16")


def taken(seconds: float, amount: float = 1.0, *like: str, machine: Machine = CPU) -> Taken:
    return Taken(seconds, amount, like or ("encoding",), machine.alike)


def place(workspaces: Sequence[Path]) -> Place:
    return Place(tuple(workspaces), "float32")


def note_trainings(experiment: str, *kinds: str) -> None:
    """One shard of each of these kinds was computed in the workspace that is set."""
    for kind in kinds:
        times.add(settings().workspace, experiment, taken(10.0, 1e10, kind))
