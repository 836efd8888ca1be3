"""Several seeds of a model as one line or heatmap of a figure, or each by itself: the control and what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.seeds_together import name_of_seeds, seeds_as_one
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

    name: str
    models: tuple[Model, ...]

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
        self, columns: Sequence[Checkpoint], of: Sequence[tuple[Model, Checkpoint]], bounds: Bounds, also: Sequence[str] = ()
    ) -> list[partial[pd.DataFrame]]:
        """Return the steps of a recipe that put scores `of` the seeds' checkpoints into `columns`; none of one model."""
        if not self.is_several:
            return []
        places = {_place(each): each.fingerprint for each in columns}
        own = {each.fingerprint: places[_place(each)] for _, each in of if _place(each) in places}
        return [partial(seeds_as_one, name=self.name, checkpoints=own, also=list(also), bounds=bounds)]


def groups(models: Sequence[Model], together: Mapping[str, str]) -> list[Group]:
    """Return the models of a figure in their order, those that are `together` seeds of one (`choose`) as one."""
    amounts = Counter(together.values())
    members: dict[str, list[Model]] = {}
    for model in models:
        of = together.get(model.name)
        members.setdefault(model.name if of is None else name_of_seeds(of, amounts[of]), []).append(model)
    return [Group(name, tuple(own)) for name, own in members.items()]


def group_of(model: Model, found: Sequence[Group]) -> Group:
    """Return the group that a model is in."""
    return next(each for each in found if model in each.models)


def _place(checkpoint: Checkpoint) -> Hashable:
    """Where in the training a checkpoint is: seeds may spell their names into the labels."""
    return checkpoint.label if checkpoint.step is None else (checkpoint.stage, checkpoint.step)


def are_there(models: Sequence[str]) -> bool:
    """Whether some of these models are seeds of one, so that `choose` draws its control."""
    return bool(seeds_of(models))


def choose(models: Sequence[str]) -> dict[str, str]:
    """Draw the control where some of these models are seeds of one; returns by name what each is a seed of, none for apart."""
    found = seeds_of(models)
    return found if found and segments("Seeds of a model", (TOGETHER, APART), "seed_lines") == TOGETHER else {}


def tell(seeds: Mapping[str, str]) -> None:
    """Say what the lines, or cells, of several seeds are."""
    if seeds:
        names = ", ".join(name_of_seeds(model, amount) for model, amount in Counter(seeds.values()).items())
        st.caption(f"{verbatim(names)}: mean of the seeds, with Student's 95% interval over them.")
