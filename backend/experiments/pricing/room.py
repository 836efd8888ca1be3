"""Whether a run's model fits into the memory of the machine that will compute it, and how it is run: said before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.pricing.estimate import model_of, sampled
from isogloss.backend.models import memory
from isogloss.backend.models.entry import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.pricing.estimate import Work
    from isogloss.backend.experiments.pricing.machine import Machine
    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.models.entry import Model

WITHOUT_WEIGHTS = ("scoring", "cutting")
"""Kinds of work (the first word of a `Work`'s `like`) for which a checkpoint's weights are not loaded."""
VECTORS = "encoding"
"""The kind that asks a model for vectors alone, which may be computed layer by layer."""


@dataclass(frozen=True)
class Room:
    """Whether a model fits."""

    fits: bool
    text: str
    """A sentence or two on it, and on how the model is run."""


def room(
    spec: Spec,
    work: Callable[[Spec, str, Place], Work | None],
    machine: Machine,
    workspaces: Sequence[Path],
    shards: Iterable[str],
) -> Room | None:
    """Return whether the model of the `shards` fits into the memory of `machine`.

    `work` says how much work a shard is. None where no weights are loaded, or their size is not known.
    """
    of, place = spec.shards(), Place(tuple(workspaces), machine.precision)
    for shard in sampled(shards)[0]:
        checkpoint, found = of.get(shard), work(spec, shard, place)
        if not isinstance(checkpoint, Checkpoint) or found is None or found.like[0].startswith(WITHOUT_WEIGHTS):
            continue
        model = model_of(checkpoint, None, workspaces)
        if model is not None and model.parameters:
            return _room(model, machine, vectors=found.like[0].startswith(VECTORS))
    return None


def _room(model: Model, machine: Machine, *, vectors: bool) -> Room:
    assert model.parameters is not None
    precision = machine.precision if vectors else "float32"
    size = f"{memory.said(model.parameters * memory.BYTES[precision])} of weights"
    there = f"{memory.said(machine.memory)} of memory ({machine.device})"
    if memory.fits(model.parameters, precision, machine.kind, machine.memory):
        return Room(True, f"{model.name} fits: {size}, {there}.")
    said = f"{model.name} does not fit: {size}, {there}."
    if not vectors:
        return Room(False, f"{said} It has to be in memory as a whole for this. Choose a smaller one, or another machine.")
    if model.architecture not in memory.TRIED:
        return Room(
            False,
            f"{said} Models of its architecture ({model.architecture}) cannot be run layer by layer. Choose a smaller one, or "
            "another machine.",
        )
    return Room(False, f"{said} It is run layer by layer, its weights read from the disk as they are needed: the same scores.")
