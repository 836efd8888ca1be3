"""What is looked at on the page of tokenisers: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.frames import files_of, label_checkpoints
from isogloss.backend.experiments.tokenisers import shard as tokenisers
from isogloss.backend.experiments.tokenisers.shard import TokenisersSpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.pages.widgets.choosing import results, selecting
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.choosing.selecting import WHOLE, Chosen, ChosenCheckpoints, ChosenModels, files_by_checkpoint
from isogloss.pages.widgets.workspace import guard, workspaces


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, the options, and the files that hold the scores. A model's tokeniser is that of its last checkpoint."""

    options: Mapping[str, Any]
    """The declared options of `TokenisersSpec`, by field."""
    have: tuple[scores.ShardFile, ...]

    def checkpoints(self, model: Model) -> list[Checkpoint]:
        """List the last checkpoint of a model alone: its others mostly share its tokeniser."""
        return list(model.checkpoints[-1:])

    def spec(self, model: Model) -> TokenisersSpec:
        """Make the spec that cuts the corpus by a model's tokeniser."""
        return TokenisersSpec(
            model=model.name,
            checkpoints=tuple(self.checkpoints(model)),
            corpus=self.corpus.id,
            languages=self.languages,
            **self.options,
        )

    @cached_property
    def served(self) -> dict[tuple[str, Any], scores.ShardFile]:
        """The file that serves each model's checkpoint that is computed, by its fingerprint."""
        have, files = files_by_checkpoint(self.have), {}
        for model in self.models:
            (last,) = self.checkpoints(model)
            if file := tokenisers.covering(self.spec(model), last, have.get(last.fingerprint, ())):
                files[last.fingerprint, WHOLE] = file
        return files

    @property
    def shown(self) -> list[Model]:
        """The models whose tokenisers are computed."""
        return [model for model in self.models if self.computed(model)]

    def shards(self, *models: Model) -> dict[str, str]:
        """Return the name of each of these models' files, by the checkpoint's fingerprint."""
        return {each.fingerprint: self.served[each.fingerprint, WHOLE].path.stem for m in models for each in self.computed(m)}

    def recipe(self, query: Callable[..., pd.DataFrame], *models: Model, **arguments: Any) -> Recipe:
        """Return the recipe of the rows of a query (`backend.experiments.tokenisers.queries`) of some models, labelled."""
        shards, known = self.shards(*models), self.known([(m, each) for m in models for each in self.computed(m)])
        names = sorted(set(shards.values()))
        asked = partial(query, languages=list(self.languages), checkpoints=sorted(shards), **arguments)
        return Recipe(
            (
                partial(files_of, workspaces=workspaces(), family=tokenisers.FAMILY, shards=names),
                asked,
                partial(label_checkpoints, checkpoints=known),
            )
        )


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("Tokenisers", tokenisers.FAMILY, _last_of_each, kept=models.entries)
    if chosen is None:
        return None
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        options = form(TokenisersSpec, results.first_options(tokenisers.FAMILY))
    with guard():
        have = tuple(scores.shards(workspaces(), tokenisers.FAMILY))
    return Selection(**vars(chosen), options=options, have=have)


def _last_of_each(chosen: ChosenModels) -> ChosenCheckpoints:
    """Return the last checkpoint of each model: there is nothing to choose."""
    return ChosenCheckpoints(**vars(chosen), layers=(0,), labels=tuple(model.checkpoints[-1].label for model in chosen.models))
