"""Two models on one corpus: layer × training step, at the steps that both have; or one against each other, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.text import step_label
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.seeds_together import named_by_seeds
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.figures.two_sides import Layout
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.seeds import seeds_of
from isogloss.pages.abx.compare import measured
from isogloss.pages.abx.compare.evidence import OverSentences
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.shared.compare import side_by_side
from isogloss.pages.shared.compare.evidence import OverSeeds
from isogloss.pages.widgets.choosing import seeds, swap
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.words import verbatim

EACH_OTHER = "Each other"
Sides = dict[str, list[Model]]
"""The models of each side by its name: one, or several seeds of one."""


def draw(selection: Selection, metric: str) -> None:
    """Compare two of the chosen models in `metric`, a column a training step that both have."""
    if len(selection.models) < 2:
        st.caption("Choose a second model in the side bar.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sides = _sides_of(selection)
        first, second = _choose(sides)
        fitted = measured.fit(metric) if second else None
    if second is None:
        _each(selection, sides, first, metric)
        return
    members = [*sides[first], *sides[second]]
    if not (layers := side_by_side.shared_layers(selection.layers, members)):
        return
    model_checkpoints = [(model, each) for model in members for each in selection.computed(model)]
    only, named = partial(rows_with, metric=[metric], layer=layers), partial(abx_frames.sides_by_model)
    recipe = recipes.scores(selection, abx_queries.grid, only, named, of=model_checkpoints)
    shared = common(cooked.rows(recipe))
    if not shared:
        st.caption("The models have no computed training step (or checkpoint name) in common. Compare checkpoints instead.")
        return
    recipe = recipe.then(partial(rows_with, at=list(shared)))
    data = cooked.rows(recipe)
    layout = Layout(
        row="layer",
        column="at",
        rows={layer: str(layer) for layer in layers},
        columns=shared,
        row_title=LAYER,
        column_title="Training step" if data["step"].notna().all() else "Training step or checkpoint",
    )
    compared = [(model, each) for model, each in model_checkpoints if each.fingerprint in set(data["checkpoint"])]
    evidence = _evidence(selection, compared, sides, (first, second))
    if isinstance(evidence, OverSeeds):
        recipe = recipe.then(partial(named_by_seeds, names=_called(sides)), named)
    side_by_side.draw(recipe, (first, second), layout, measured.compared(metric), evidence, fitted)


def _each(selection: Selection, sides: Sides, first: str, metric: str) -> None:
    """Draw a model less each other of those chosen, at the last chosen checkpoint of each, a row a model."""
    last = [(model, there[-1]) for model in selection.models if (there := selection.computed(model))]
    known = {name for name, models in sides.items() if any(model in models for model, _ in last)}
    others = [name for name in sides if name in known and name != first]
    if not others or first not in known:
        st.caption(f"Nothing of {verbatim(first)}, or of the others, is computed yet: there is nothing to compare.")
        return
    layers = [layer for layer in selection.layers if layer <= min(model.layers for model in sides[first])]
    evidence = _evidence(selection, last, sides, sides)
    steps = (
        partial(rows_with, metric=[metric], layer=layers),
        partial(abx_frames.over_layers, each=False),
        *([partial(named_by_seeds, names=_called(sides))] if isinstance(evidence, OverSeeds) else []),
        partial(abx_frames.against_each, first=first),
    )
    layout = Layout(
        row="other",
        column="layer",
        rows={name: name for name in others},
        columns={layer: str(layer) for layer in layers},
        row_title="The other",
        column_title=LAYER,
        first_row="top",
    )
    recipe = recipes.scores(selection, abx_queries.grid, *steps, of=last)
    side_by_side.draw_difference(recipe, (first, abx_frames.EACH), layout, measured.compared(metric), evidence)
    st.caption("Each model's last chosen checkpoint.")


def _sides_of(selection: Selection) -> Sides:
    """Return what can be compared, by name: each model, or where that is chosen all computed seeds of one as one."""
    computed = [model for model in selection.models if selection.computed(model)]
    several = len(seeds.groups(computed, seeds_of(model.name for model in computed))) > 1
    groups = seeds.choose(computed) if several else seeds.groups(computed, {})
    groups += seeds.groups([model for model in selection.models if model not in computed], {})
    groups.sort(key=lambda group: selection.models.index(group.first))
    return {group.name: list(group.models) for group in groups}


def _called(sides: Sides) -> dict[str, str]:
    """Return by the name of a seed what those of its model are called."""
    return {model.name: name for name, models in sides.items() if len(models) > 1 for model in models}


def _evidence(
    selection: Selection, of: Sequence[tuple[Model, Checkpoint]], sides: Sides, names: Iterable[str]
) -> OverSentences | OverSeeds:
    """Return what the intervals of differences of these sides are over: seeds where one has several, else sentences."""
    several = [name for name in names if len(sides[name]) > 1]
    return OverSeeds(several) if several else OverSentences(selection, of)


def _choose(sides: Sides) -> tuple[str, str | None]:
    """Draw which two sides are compared: the two models chosen, or of more any two sides, or one and each other (None)."""
    names = list(sides)
    if sum(map(len, sides.values())) == 2:
        first, second = names
        st.markdown(f"A: **{verbatim(first)}** · B: **{verbatim(second)}**", width="content")
        swap.button("model")
        return first, second
    a = select("A", names, "model_a", width=260)
    b = select("B", [*(name for name in names if name != a), EACH_OTHER], "model_b", width=260)
    return a, b if b in sides else None


def common(data: pd.DataFrame) -> dict[str, str]:
    """Return the places (`at`) that both models have one checkpoint at, in order, and what each is called on an axis."""
    one = data.drop_duplicates(["model", "checkpoint", "label", "at"])
    counts = one.groupby(["at", "model"], sort=False).size().unstack()
    both = counts.index[counts.eq(1).all(axis=1) & (counts.notna().sum(axis=1) == data["model"].nunique())]
    if data["model"].nunique() < 2:
        return {}
    steps = one.drop_duplicates("at").set_index("at")["step"]
    return {at: at if pd.isna(steps[at]) else step_label(float(steps[at])) for at in both}
