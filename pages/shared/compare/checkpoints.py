"""Which two checkpoints are compared, of one model or of two; of several seeds of a model those at one place in training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments import compared
from isogloss.backend.figures import two_sides
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.figures.two_sides import Layout
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.shared.compare import side_by_side
from isogloss.pages.shared.compare.evidence import Evidence
from isogloss.pages.shared.compare.side_by_side import Compared
from isogloss.pages.widgets.choosing import more, opened, swap
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.opened import Rows
from isogloss.pages.widgets.choosing.seeds import CheckpointsOf, Group
from isogloss.pages.widgets.figures import cooked

JOINT = " · "


@dataclass(frozen=True)
class Side:
    """One side of a comparison."""

    group: Group
    checkpoint: Checkpoint
    of: tuple[tuple[Model, Checkpoint], ...]
    """Its checkpoints: of several seeds one of each that has one there."""

    @property
    def name(self) -> str:
        """What the controls and figures call it."""
        return f"{self.group.name}{JOINT}{self.checkpoint.label}"

    @property
    def labels(self) -> list[tuple[str, str]]:
        """The model and the label of each of its checkpoints, as `experiments.compared.sides_of` takes them."""
        return [(model.name, checkpoint.label) for model, checkpoint in self.of]


def sides(groups: Sequence[Group], checkpoints_of: CheckpointsOf) -> dict[str, Side]:
    """Return what can be compared of these models, each checkpoint by its name."""
    found = (
        Side(group, checkpoint, tuple(group.at(checkpoint, checkpoints_of)))
        for group in groups
        for checkpoint in group.columns(checkpoints_of)
    )
    return {side.name: side for side in found}


@dataclass(frozen=True)
class Comparison:
    """Two checkpoints that are compared in languages and layers, and how these are drawn."""

    sides: tuple[Side, Side]
    languages: tuple[str, ...]
    layers: list[int]
    """Those chosen that both have."""
    rows: Rows
    fitted: bool | None
    """Whether the colours of both sides are."""

    @property
    def names(self) -> tuple[str, str]:
        """What both sides are called."""
        return self.sides[0].name, self.sides[1].name

    @property
    def of(self) -> list[tuple[Model, Checkpoint]]:
        """The checkpoints of both sides."""
        return [each for side in self.sides for each in side.of]

    @property
    def several(self) -> list[str]:
        """The sides that are several seeds of a model."""
        return [side.name for side in self.sides if len(side.of) > 1]

    @property
    def named(self) -> partial[pd.DataFrame]:
        """The step of a recipe that tells the rows of both sides apart."""
        return partial(compared.sides_of, sides={side.name: side.labels for side in self.sides})

    def draw(self, recipe: Recipe, of: Compared, evidence: Evidence) -> None:
        """Draw both sides and their difference, language × layer: `recipe` gives these, value and `side`."""
        beside = recipe.then(*evidence.means(of.metric, ["language", "layer"]))
        rows, groups = two_sides.order(cooked.rows(beside), self.languages, self.layers, self.rows.order, self.rows.pinned)
        layout = Layout(
            row="language",
            column="layer",
            rows=rows,
            columns={layer: str(layer) for layer in self.layers},
            row_title="Language",
            column_title=LAYER,
            first_row="top",
            groups=groups,
            **self.rows.options,
        )
        side_by_side.draw(recipe, self.names, layout, of, evidence, self.fitted, self.rows)

    def draw_pairs(self, recipe: Recipe, of: Compared, evidence: Evidence) -> None:
        """Draw both sides and their difference, language × language: `recipe` gives source, target, value and `side`."""
        beside = recipe.then(*evidence.means(of.metric, ["source", "target"]))
        names, groups = two_sides.order_of_pairs(cooked.rows(beside), self.languages, self.rows.order, self.rows.pinned)
        layout = Layout(
            row="source",
            column="target",
            rows=names,
            columns=names,
            row_title="From",
            column_title="To",
            first_row="top",
            groups=groups,
            of_pairs=True,
            **self.rows.options,
        )
        side_by_side.draw(recipe, self.names, layout, of, evidence, self.fitted, self.rows)


def choose(
    able: dict[str, Side], languages: tuple[str, ...], layers: Sequence[int], fit: Callable[[], bool | None]
) -> Comparison | None:
    """Draw the controls of two checkpoints of those `able`; None, and why in words, where there are no two to compare.

    `fit` draws whether the colours are fitted.
    """
    if len(able) < 2:
        st.caption("Choose two computed checkpoints or models to compare.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first, second = _choose(able)
        swap.button("first", "second")
        options = more.view_options()
    with options:
        rows = opened.choose(languages)
        fitted = fit()
    if first == second:
        st.caption("These are the same checkpoint. Choose another as B.")
        return None
    sides = able[first], able[second]
    shared = side_by_side.shared_layers(layers, [model for side in sides for model, _ in side.of])
    return Comparison(sides, languages, shared, rows, fitted) if shared else None


def _choose(able: dict[str, Side]) -> tuple[str, str]:
    """Return both sides: at first a model's last checkpoint and its first, so that the difference is what training changed."""
    names = list(able)
    of_first = [name for name in names if able[name].group == able[names[0]].group]
    first = select("A", names, "first", width=330, index=names.index(of_first[-1]))
    second = select("B", names, "second", width=330, index=names.index(other_of(able, first)))
    return first, second


def other_of(able: dict[str, Side], first: str) -> str:
    """Return what `first` is compared with unasked: its model's first other checkpoint, else the last of another model."""
    own = able[first]
    others = [name for name, each in able.items() if each.checkpoint.fingerprint != own.checkpoint.fingerprint]
    same = [name for name in others if able[name].group == own.group]
    return next(iter([*same, *reversed(others)]), first)
