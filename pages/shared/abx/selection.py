"""Whose ABX scores are looked at, and the files that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import pandas as pd

from backend.experiments.abx import shard as abx
from backend.experiments.abx.shard import AbxSpec, Protocol
from backend.models.entry import Checkpoint, Model, Pooling
from backend.store import scores
from pages.widgets.selecting import Chosen, language_table
from pages.widgets.workspace import guard, workspaces


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, the options of ABX, and the files that hold the scores."""

    pooling: Pooling
    protocol: Protocol
    have: tuple[scores.ShardFile, ...]

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint] | None = None) -> AbxSpec:
        """Make the spec that computes `checkpoints` of `model` (all chosen ones by default)."""
        return AbxSpec(
            model=model.name,
            checkpoints=tuple(checkpoints or self.checkpoints(model)),
            corpus=self.corpus.id,
            languages=self.languages,
            pooling=self.pooling,
            protocol=self.protocol,
        )

    @cached_property
    def served(self) -> dict[str, scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint) that is computed."""
        found = {}
        for model in self.models:
            if self.checkpoints(model):
                spec = self.spec(model)
                for checkpoint in spec.checkpoints:
                    if shard := abx.covering(spec, checkpoint, list(self.have)):
                        found[checkpoint.fingerprint] = shard
        return found

    def missing(self, model: Model) -> list[Checkpoint]:
        """List the model's chosen checkpoints that no file serves."""
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint not in self.served]

    def computed(self, model: Model) -> list[Checkpoint]:
        """List the model's chosen checkpoints that a file serves."""
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint in self.served]

    @property
    def meta(self) -> pd.DataFrame:
        """One row a language: tag, name, family, script (the name), right_to_left."""
        return language_table(self.languages)


def computed_of(chosen: Chosen, pooling: Pooling = "mean", protocol: Protocol = "exact") -> Selection:
    """Add to what is chosen the ABX scores that are kept of it."""
    with guard():
        have = scores.shards(workspaces(), abx.FAMILY)
    own = {field.name: getattr(chosen, field.name) for field in fields(Chosen)}
    return Selection(**own, pooling=pooling, protocol=protocol, have=tuple(have))
