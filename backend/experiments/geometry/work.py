"""How much work a shard of geometry is: that of ABX, whose pass it shares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from isogloss.backend.experiments import abx_beside

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.experiments.geometry.shard import GeometrySpec
    from isogloss.backend.experiments.pricing.estimate import Work


def geometry(spec: GeometrySpec, shard: str, place: Place) -> Work | None:
    """Return the texts to encode; where all are kept, every triplet of every pair. Its own earlier shards tell the time."""
    checkpoint = spec.shards()[shard]
    of_abx = spec.abx.model_copy(update={"checkpoints": (checkpoint,)})
    found = abx_beside.work(of_abx, next(iter(of_abx.shards())), place)
    return None if found is None else _own(found)


def _own(work: Work) -> Work:
    """Return work of ABX as a kind of our own."""
    like = (work.like[0].replace("exact", "geometry"), *work.like[1:])
    return replace(work, like=like, beside=_own(work.beside) if work.beside else None)
