"""ABX's scores from a pass that another family makes over the same vectors: what that family needs of ABX, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.abx import shard
from isogloss.backend.experiments.abx.controls import beside as controls
from isogloss.backend.experiments.abx.rows import how, layer, rows
from isogloss.backend.experiments.abx.shard import AbxSpec, has_pairs
from isogloss.backend.experiments.abx.work import abx as work
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.experiments.spec import Context, OnCorpus
    from isogloss.backend.experiments.vectors.soundness import Rows
    from isogloss.backend.models.entry import Checkpoint

__all__ = ["AbxSpec", "controls", "has_pairs", "how", "layer", "publish_lacking", "rows", "spec_of", "work"]

SAME = ("model", "checkpoints", "corpus", "languages", "sentences", "pooling", "pairs", "prefix", "removed", "rank")
"""Fields that a spec has as ABX's has them."""


def spec_of(spec: OnCorpus) -> AbxSpec:
    """Return ABX's spec of the same pairs of the same vectors: exact, all else at its default."""
    return AbxSpec(**{name: getattr(spec, name) for name in SAME})


def publish_lacking(
    spec: AbxSpec, checkpoint: Checkpoint, found: list[dict[str, Any]], said: Mapping[str, Any], sound: Rows, context: Context
) -> None:
    """File the scores of one checkpoint where no file has them; `said` is `how` they were computed."""
    if shard.covering(spec, checkpoint, scores.shards(context.workspaces, shard.FAMILY)) is None:
        shard.publish(spec, checkpoint, found, said, sound, context)
