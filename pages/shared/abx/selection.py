"""Whose ABX scores are looked at, and the files that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import pandas as pd

from backend.experiments.abx import shard as abx
from backend.experiments.abx.shard import AbxSpec, Protocol
from backend.experiments.checkpoint_scores import Pair
from backend.figures.languages import language_table
from backend.models.entry import Checkpoint, Model, Pooling
from backend.store import scores
from pages.widgets.choosing import prefixes
from pages.widgets.choosing.prefixes import Prefixes
from pages.widgets.choosing.selecting import Chosen
from pages.widgets.workspace import guard, workspaces


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, the options of ABX, and the files that hold the scores."""

    pooling: Pooling
    protocol: Protocol
    have: tuple[scores.ShardFile, ...]
    pairs: tuple[Pair, ...] | None = None
    """The pairs of languages looked at; None for all of `languages`."""
    baseline: bool = False
    """Whether files with the paper's control are looked for first, and it is computed with what is missing."""
    subsamples: int = 1
    n_triplets: int = 100_000
    """Triplets a pair; `sampled` alone."""
    seed: int = 0
    """`sampled` and `control` alone."""
    sentences: int | None = None
    """The first so many sentences alone; None for all."""
    prefixes: Prefixes = field(default_factory=dict)

    def among(self, languages: tuple[str, ...]) -> Selection:
        """Return the selection of fewer languages, and of the pairs that lie among them."""
        pairs = None if self.pairs is None else tuple(pair for pair in self.pairs if set(pair) <= set(languages))
        return replace(self, languages=languages, pairs=pairs)

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint] | None = None) -> AbxSpec:
        """Make the spec that computes `checkpoints` of `model` (all chosen ones by default)."""
        wanted = tuple(checkpoints or self.checkpoints(model))
        return AbxSpec(
            model=model.name,
            checkpoints=wanted,
            corpus=self.corpus.id,
            languages=self.languages,
            pooling=self.pooling,
            protocol=self.protocol,
            pairs=self.pairs,
            baseline=self.baseline,
            subsamples=self.subsamples,
            n_triplets=self.n_triplets,
            seed=self.seed,
            sentences=self.sentences,
            prefix=prefixes.at(self.prefixes, wanted),
        )

    @cached_property
    def served(self) -> dict[str, scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint) that is computed."""
        found = {}
        for model in self.models:
            if self.checkpoints(model):
                spec = self.spec(model)
                asked = [spec, spec.model_copy(update={"baseline": False})] if spec.baseline else [spec]
                have = list(self.have)
                for checkpoint in spec.checkpoints:
                    served = (abx.covering(each, checkpoint, have) for each in asked)
                    if shard := next(filter(None, served), None):
                        found[checkpoint.fingerprint] = shard
        return found

    def without_baseline(self, model: Model) -> list[Checkpoint]:
        """List the model's computed checkpoints whose file lacks the baseline looked for."""
        computed = self.computed(model)
        if not self.baseline or not computed:
            return []
        spec = self.spec(model)
        return [each for each in computed if abx.covering(spec, each, [self.served[each.fingerprint]]) is None]

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


def computed_of(chosen: Chosen, pooling: Pooling = "mean", protocol: Protocol = "exact", **more: Any) -> Selection:
    """Add to what is chosen the ABX scores that are kept of it; `more` are further fields of the selection."""
    with guard():
        have = scores.shards(workspaces(), abx.FAMILY)
    own = {each.name: getattr(chosen, each.name) for each in fields(Chosen)}
    return Selection(**own, pooling=pooling, protocol=protocol, have=tuple(have), **more)
