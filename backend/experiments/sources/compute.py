"""Compute one shard of a run on sources: pre-train a base model, or tune one and score it; each is published once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.shard import base_model
from isogloss.backend.experiments.sources.source import Tuning
from isogloss.backend.experiments.training import train_once
from isogloss.backend.store import bases, scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.sources.source import Pretraining, SourcesSpec
    from isogloss.backend.experiments.spec import Context


def missing(spec: SourcesSpec, workspaces: Sequence[Path]) -> list[str]:
    """List the shards that are still to be computed: tunings without scores, and base models that one of these needs."""
    lacking = [piece for piece in spec.cells().values() if not scores.exists(workspaces, FAMILY, piece.key)]
    needed = {piece.base.key for piece in lacking if piece.base is not None}
    wanted = {key for key in needed if bases.load(key, workspaces) is None} | {piece.key for piece in lacking}
    return [key for key in spec.shards() if key in wanted]


def compute(
    spec: SourcesSpec,
    shard: str,
    context: Context,
    pretrain: Callable[[Pretraining[Any], Context], None],
    tune: Callable[[Any, Context], None],
) -> None:
    """Train, or go on where a training was killed, and publish a base model or scores; nothing where it is there.

    `pretrain` and `tune` train one piece and publish it. Raises `Cancelled` where it was asked to stop, and what these raise.
    """
    piece = spec.shards()[shard]
    if isinstance(piece, Tuning):
        train_once(shard, lambda: scores.exists(context.workspaces, FAMILY, shard), lambda: tune(piece, context), context)
    elif shard in missing(spec, context.workspaces):
        base_model(shard, lambda: pretrain(piece, context), context)
