"""Whose scores of pairs of languages are looked at, ABX's or of a spec like its, and the files that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.figures.languages import language_table
from isogloss.backend.models.entry import Checkpoint, Model, Pooling
from isogloss.backend.option import settled
from isogloss.backend.store import scores
from isogloss.pages.widgets.choosing import language_pairs, poolings, prefixes, results, selecting
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.choosing.poolings import Poolings
from isogloss.pages.widgets.choosing.prefixes import Prefixes
from isogloss.pages.widgets.choosing.selecting import WHOLE, Chosen, files_by_checkpoint
from isogloss.pages.widgets.workspace import guard, workspaces


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, the options of its spec, and the files that hold the scores."""

    family: ClassVar[str] = abx.FAMILY
    """What the scores are filed under."""
    spec_class: ClassVar[Any] = AbxSpec
    options: Mapping[str, Any]
    """The declared options of `spec_class`, by field: all of them."""
    have: tuple[scores.ShardFile, ...]
    pairs: tuple[Pair, ...] | None = None
    """The pairs of languages looked at; None for all of `languages`."""
    prefixes: Prefixes = field(default_factory=dict)
    poolings: Poolings = field(default_factory=dict)
    """Where each model has its own; empty where all have that of `options`."""

    def pooling(self, checkpoints: Sequence[Checkpoint]) -> Pooling:
        """Return what makes the sentence vectors of the checkpoints of one model."""
        common: Pooling = self.options["pooling"]
        return self.poolings.get(checkpoints[0].fingerprint, common) if checkpoints else common

    def with_options(self, **options: Any) -> Selection:
        """Return the same choice with other options of the spec."""
        return replace(self, options={**self.options, **options})

    def among(self, languages: tuple[str, ...]) -> Selection:
        """Return the selection of fewer languages, and of the pairs that lie among them."""
        pairs = None if self.pairs is None else tuple(pair for pair in self.pairs if set(pair) <= set(languages))
        return replace(self, languages=languages, pairs=pairs)

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint] | None = None) -> Any:
        """Make the spec that computes `checkpoints` of `model` (all chosen ones by default)."""
        wanted = tuple(checkpoints or self.checkpoints(model))
        return self.spec_class(
            model=model.name,
            checkpoints=wanted,
            corpus=self.corpus.id,
            languages=self.languages,
            pairs=self.pairs,
            prefix=prefixes.at(self.prefixes, wanted),
            **{**self.options, "pooling": self.pooling(wanted)},
        )

    @cached_property
    def served(self) -> dict[tuple[str, Any], scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint, as a whole) that is computed."""
        files: dict[tuple[str, Any], scores.ShardFile] = {}
        have = files_by_checkpoint(self.have)
        for model in self.models:
            if there := [each for each in self.checkpoints(model) if each.fingerprint in have]:
                spec = self.spec(model, there)
                for checkpoint in there:
                    if file := self.covering(spec, checkpoint, have[checkpoint.fingerprint]):
                        files[checkpoint.fingerprint, WHOLE] = file
        return files

    def covering(self, spec: Any, checkpoint: Checkpoint, have: list[scores.ShardFile]) -> scores.ShardFile | None:
        """Return the file that serves a checkpoint: with the baseline where it is asked for and there, else without."""
        asked = [spec, spec.model_copy(update={"baseline": False})] if spec.baseline else [spec]
        return next(filter(None, (abx.covering(each, checkpoint, have) for each in asked)), None)

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


S = TypeVar("S", bound=Selection)


def choose(title: str, kind: type[S]) -> S | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose(title, kind.family)
    if chosen is None:
        return None
    first = results.first_options(kind.family)
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        # By hand: each model may have its own.
        pooling, of_each = poolings.choose(chosen.models, first.get("pooling", "mean"))
        options = {"pooling": pooling} | form(kind.spec_class, first, {"pooling": pooling})
        pairs = language_pairs.choose(chosen.languages)
        before = prefixes.choose(chosen.models, first.get("prefix", ""))
    prefixes.tell(chosen.models, before)
    poolings.tell(chosen.models, of_each)
    if pairs == ():
        st.info("Choose a pair of languages in the side bar, under Options.", icon=":material/left_panel_open:")
        return None
    return _with_files(kind, chosen, options=settled(kind.spec_class, options), pairs=pairs, prefixes=before, poolings=of_each)


def computed_of(
    chosen: Chosen, *, pairs: tuple[Pair, ...] | None = None, prefixes: Prefixes | None = None, **options: Any
) -> Selection:
    """Add to what is chosen the ABX scores that are kept of it; `options` are fields of the spec, else at their default."""
    return _with_files(Selection, chosen, options=settled(AbxSpec, options), pairs=pairs, prefixes=prefixes or {})


def _with_files(kind: type[S], chosen: Chosen, **more: Any) -> S:
    with guard():
        have = tuple(scores.shards(workspaces(), kind.family))
    return kind(**{each.name: getattr(chosen, each.name) for each in fields(Chosen)}, have=have, **more)
