"""Whose ABX scores are looked at, and the files that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import pandas as pd

from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.figures.languages import language_table
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.option import settled
from isogloss.backend.store import scores
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.choosing.prefixes import Prefixes
from isogloss.pages.widgets.choosing.selecting import WHOLE, Chosen, files_by_checkpoint
from isogloss.pages.widgets.workspace import guard, workspaces


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, the options of ABX, and the files that hold the scores."""

    family: ClassVar[str] = abx.FAMILY
    """What the scores are filed under."""
    options: Mapping[str, Any]
    """The declared options of `AbxSpec`, by field: all of them."""
    have: tuple[scores.ShardFile, ...]
    pairs: tuple[Pair, ...] | None = None
    """The pairs of languages looked at; None for all of `languages`."""
    prefixes: Prefixes = field(default_factory=dict)

    def with_options(self, **options: Any) -> Selection:
        """Return the same choice with other options of the spec."""
        return replace(self, options={**self.options, **options})

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
            pairs=self.pairs,
            prefix=prefixes.at(self.prefixes, wanted),
            **self.options,
        )

    @cached_property
    def served(self) -> dict[tuple[str, Any], scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint, as a whole) that is computed."""
        files: dict[tuple[str, Any], scores.ShardFile] = {}
        have = files_by_checkpoint(self.have)
        for model in self.models:
            if there := [each for each in self.checkpoints(model) if each.fingerprint in have]:
                spec = self.spec(model, there)
                asked = [spec, spec.model_copy(update={"baseline": False})] if spec.baseline else [spec]
                for checkpoint in there:
                    served = (abx.covering(each, checkpoint, have[checkpoint.fingerprint]) for each in asked)
                    if shard := next(filter(None, served), None):
                        files[checkpoint.fingerprint, WHOLE] = shard
        return files

    def without_baseline(self, model: Model) -> list[Checkpoint]:
        """List the model's computed checkpoints whose file lacks the baseline looked for."""
        computed = self.computed(model)
        if not self.options["baseline"] or not computed:
            return []
        spec = self.spec(model)
        return [each for each in computed if abx.covering(spec, each, [self.served[each.fingerprint, WHOLE]]) is None]

    @property
    def meta(self) -> pd.DataFrame:
        """One row a language: tag, name, family, script (the name), right_to_left."""
        return language_table(self.languages)


def computed_of(
    chosen: Chosen, *, pairs: tuple[Pair, ...] | None = None, prefixes: Prefixes | None = None, **options: Any
) -> Selection:
    """Add to what is chosen the ABX scores that are kept of it; `options` are fields of the spec, else at their default."""
    with guard():
        have = tuple(scores.shards(workspaces(), abx.FAMILY))
    given = {each.name: getattr(chosen, each.name) for each in fields(Chosen)}
    return Selection(**given, options=settled(AbxSpec, options), have=have, pairs=pairs, prefixes=prefixes or {})
