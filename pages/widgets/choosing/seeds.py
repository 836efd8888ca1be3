"""Several seeds of a model as one line or heatmap of a figure, or each by itself: the control and what it says."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.seeds_together import name_of_seeds, seeds_as_one, seeds_together
from isogloss.backend.metrics.intervals import Bounds
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.seeds import seeds_of
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.words import verbatim

TOGETHER, APART = "Together", "Apart"
CheckpointsOf = Callable[[Model], Sequence[Checkpoint]]
"""Lists some of a model's checkpoints, such as those chosen."""


@dataclass(frozen=True)
class Group:
    """A model of a figure: one, or several seeds of one, whose scores are means over them."""

    called: str
    """The name of the one, or what the seeds are seeds of."""
    models: tuple[Model, ...]

    @property
    def name(self) -> str:
        """What the figure calls it."""
        return name_of_seeds(self.called, len(self.models)) if self.is_several else self.called

    @property
    def first(self) -> Model:
        """The one that a click leads to."""
        return self.models[0]

    @property
    def is_several(self) -> bool:
        """Whether it is several seeds."""
        return len(self.models) > 1

    def titled(self, checkpoint: Checkpoint) -> str:
        """Name a checkpoint as `Model.titled` does."""
        return self.name if all(len(each.checkpoints) == 1 for each in self.models) else f"{self.name}, {checkpoint.label}"

    def of(self, checkpoints_of: CheckpointsOf) -> list[tuple[Model, Checkpoint]]:
        """List these checkpoints of every seed, each with its model."""
        return [(model, each) for model in self.models for each in checkpoints_of(model)]

    def columns(self, checkpoints_of: CheckpointsOf) -> list[Checkpoint]:
        """Return one checkpoint for each place in the training that a seed has one at, in the training's order."""
        first: dict[Hashable, Checkpoint] = {}
        for _, each in self.of(checkpoints_of):
            first.setdefault(_place(each), each)
        found = list(first.values())
        steps = [each.step for each in found]
        in_order = self.is_several and None not in steps and len({each.stage for each in found}) < 2
        return sorted(found, key=lambda each: each.step or 0) if in_order else found

    def at(self, checkpoint: Checkpoint, checkpoints_of: CheckpointsOf) -> list[tuple[Model, Checkpoint]]:
        """List those of these checkpoints that are at the same place in the training as `checkpoint`, each with its model."""
        return [(model, each) for model, each in self.of(checkpoints_of) if _place(each) == _place(checkpoint)]

    def steps(
        self, columns: Sequence[Checkpoint], of: Sequence[tuple[Model, Checkpoint]], bounds: Bounds, **more: Any
    ) -> list[partial[pd.DataFrame]]:
        """Return the steps of a recipe that put scores `of` the seeds' checkpoints into `columns`; none of one model.

        `more` are further arguments of `seeds_as_one`.
        """
        if not self.is_several:
            return []
        places = {_place(each): each.fingerprint for each in columns}
        own = {each.fingerprint: places[_place(each)] for _, each in of if _place(each) in places}
        return [partial(seeds_as_one, name=self.name, checkpoints=own, bounds=bounds, **more)]


def group_of(model: Model, found: Sequence[Group]) -> Group:
    """Return the group that a model is in."""
    return next(each for each in found if model in each.models)


def _place(checkpoint: Checkpoint) -> Hashable:
    """Where in the training a checkpoint is: seeds may spell their names into the labels."""
    return checkpoint.label if checkpoint.step is None else (checkpoint.stage, checkpoint.step)


def are_there(models: Sequence[Model]) -> bool:
    """Whether some of these models are seeds of one, so that `choose` draws its control."""
    return bool(seeds_of(model.name for model in models))


def choose(models: Sequence[Model]) -> list[Group]:
    """Draw the control where some of these models are seeds of one; returns those of a figure, such seeds as one or apart."""
    found = seeds_of(model.name for model in models)
    together = found and segments("Seeds of a model", (TOGETHER, APART), "seed_lines") == TOGETHER
    return groups(models, found if together else {})


def groups(models: Sequence[Model], together: Mapping[str, str]) -> list[Group]:
    """Return the models of a figure in their order, those that are `together` seeds of one (`seeds_of`) as one."""
    members: dict[str, list[Model]] = {}
    for model in models:
        members.setdefault(together.get(model.name, model.name), []).append(model)
    return [Group(of if len(own) > 1 else own[0].name, tuple(own)) for of, own in members.items()]


def tell_one(model: Model, models: Sequence[Model]) -> None:
    """Say which seed it is, where others of these are seeds of the same: what lies behind a mean is each one's own."""
    if model.name in seeds_of(each.name for each in models):
        st.caption(f"Of one seed: {verbatim(model.name)}. Choose others as *Model*.")


def some(found: Sequence[Group]) -> bool:
    """Whether some of these are several seeds of a model."""
    return any(group.is_several for group in found)


def lines(found: Sequence[Group], x: str, bounds: Bounds, *, each: bool = True) -> list[partial[pd.DataFrame]]:
    """Return the steps of a recipe that put the lines of seeds together, each of a model's by itself; none without seeds."""
    of = {model.name: group.called for group in found if group.is_several for model in group.models}
    return [partial(seeds_together, seeds=of, x=x, each=each, bounds=bounds)] if of else []


def tell(found: Sequence[Group]) -> None:
    """Say what the lines, or cells, of several seeds are."""
    names = ", ".join(group.name for group in found if group.is_several)
    if names:
        st.caption(f"{verbatim(names)}: mean of the seeds, with Student's 95% interval over them.")
