"""Several pre-training seeds of a model as one line, or one matrix, of transfer: the control, and what figures call them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from isogloss.backend.figures.transfer import naming
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.seeds import Group


@dataclass(frozen=True)
class Together:
    """The runs looked at, and what a figure makes one of."""

    selection: Selection
    """Checkpoints at the same place in the seeds' training have one label: runs of that label are the same model's."""
    groups: Sequence[Group]
    """Of the models that have runs."""

    @property
    def names(self) -> dict[str, str]:
        """What the figure calls each seed of several, by the name of its model."""
        return {model.name: group.name for group in self.groups if group.is_several for model in group.models}

    @cached_property
    def models_by_name(self) -> dict[str, tuple[object, ...]]:
        """As `Selection.models_by_name`, of seeds together."""
        if not self.names:
            return self.selection.models_by_name
        found = self.renamed(self.selection.runs).drop_duplicates(BY)
        names = naming.names(found, self.selection.differing(found))
        return dict(zip(names, found[BY].itertuples(index=False, name=None), strict=True))

    def renamed(self, runs: pd.DataFrame) -> pd.DataFrame:
        """Return the runs, those of seeds together with the name of these as their `model`."""
        return runs.assign(model=runs["model"].replace(self.names))

    def is_several(self, name: str) -> bool:
        """Whether a model of `models_by_name` is several seeds."""
        return self.models_by_name[name][0] in self.names.values()

    def one_of(self, name: str, source: str) -> str:
        """Return the name of the model behind a name: of several seeds that of the first that is trained on the source."""
        if not self.is_several(name):
            return name
        runs = self.selection.runs
        own = runs[(self.renamed(runs)[BY] == list(self.models_by_name[name])).all(axis=1) & runs["source"].eq(source)]
        first = tuple(own[BY].iloc[0])
        return next(each for each, model in self.selection.models_by_name.items() if model == first)

    def tell(self) -> None:
        """Say what the lines, or cells, of several seeds are."""
        seeds.tell(self.groups)


def choose(selection: Selection) -> Together:
    """Draw the control where some of the models that have runs are seeds of one."""
    there = set(selection.runs["model"])
    groups = seeds.choose([model for model in selection.models if model.name in there])
    labels: dict[tuple[str, str], str] = {}
    for group in groups if any(group.is_several for group in groups) else ():
        columns = group.columns(selection.checkpoints) if selection.labels else [selection.checkpoints(group.first)[-1]]
        for column in columns:
            own = group.at(column, selection.checkpoints) if selection.labels else group.of(selection.checkpoints)
            labels |= {(model.name, each.label): column.label for model, each in own}
    if not labels:
        return Together(selection, groups)
    runs = selection.all_runs
    of_runs = zip(runs["model"], runs["label"], strict=True)
    return Together(replace(selection, all_runs=runs.assign(label=[labels.get(each, each[1]) for each in of_runs])), groups)


def tell_one(selection: Selection, of: Sequence[object]) -> None:
    """Say which seed a model (its values of `BY`) is, where others are seeds of the same."""
    models = {model.name: model for model in selection.models}
    seeds.tell_one(models[str(of[0])], selection.models)
