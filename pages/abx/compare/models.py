"""Two models on one corpus: layer × training step, at the steps that both have; or one against each other, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.text import step_label
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.figures.abx_compare import Layout
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.models.entry import Model
from isogloss.pages.abx.compare import side_by_side
from isogloss.pages.abx.compare.evidence import Evidence
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import swap
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.words import verbatim

EACH_OTHER = "Each other"


def draw(selection: Selection, metric: str) -> None:
    """Compare two of the chosen models in `metric`, a column a training step that both have."""
    if len(selection.models) < 2:
        st.caption("Choose a second model in the side bar.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        first, second = _sides(selection.models)
        fitted = side_by_side.fit(metric) if second else None
    if second is None:
        _each(selection, first, metric)
        return
    if not (layers := side_by_side.shared_layers(selection.layers, (first, second))):
        return
    model_checkpoints = [(model, each) for model in (first, second) for each in selection.computed(model)]
    only, named = partial(rows_with, metric=[metric], layer=layers), partial(abx_frames.sides_by_model)
    recipe = recipes.scores(selection, abx_queries.grid, only, named, of=model_checkpoints)
    data = cooked.rows(recipe)
    shared = common(data)
    if not shared:
        st.caption("The two models have no computed training step (or checkpoint name) in common. Compare checkpoints instead.")
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
    side_by_side.draw(recipe, (first.name, second.name), layout, metric, Evidence(selection, compared), fitted)


def _each(selection: Selection, first: Model, metric: str) -> None:
    """Draw a model less each other of those chosen, at the last chosen checkpoint of each, a row a model."""
    last = [(model, there[-1]) for model in selection.models if (there := selection.computed(model))]
    others = [model.name for model, _ in last if model != first]
    if not others or len(others) == len(last):
        st.caption(f"Nothing of {verbatim(first.name)}, or of the others, is computed yet: there is nothing to compare.")
        return
    layers = [layer for layer in selection.layers if layer <= first.layers]
    steps = (
        partial(rows_with, metric=[metric], layer=layers),
        partial(abx_frames.over_layers, each=False),
        partial(abx_frames.against_each, first=first.name),
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
    sides, evidence = (first.name, abx_frames.EACH), Evidence(selection, last)
    recipe = recipes.scores(selection, abx_queries.grid, *steps, of=last)
    side_by_side.draw_difference(recipe, sides, layout, metric, evidence)
    st.caption("Each model's last chosen checkpoint.")


def _sides(models: Sequence[Model]) -> tuple[Model, Model | None]:
    """Draw which two models are compared: the two that are chosen, or of more any two, or one and each other (None)."""
    if len(models) == 2:
        first, second = models
        st.markdown(f"A: **{verbatim(first.name)}** · B: **{verbatim(second.name)}**", width="content")
        swap.button("model")
        return first, second
    named = {model.name: model for model in models}
    a = select("A", list(named), "model_a", width=260)
    b = select("B", [*(name for name in named if name != a), EACH_OTHER], "model_b", width=260)
    return named[a], named.get(b)


def common(data: pd.DataFrame) -> dict[str, str]:
    """Return the places (`at`) that both models have one checkpoint at, in order, and what each is called on an axis."""
    one = data.drop_duplicates(["model", "checkpoint", "label", "at"])
    counts = one.groupby(["at", "model"], sort=False).size().unstack()
    both = counts.index[counts.eq(1).all(axis=1) & (counts.notna().sum(axis=1) == data["model"].nunique())]
    if data["model"].nunique() < 2:
        return {}
    steps = one.drop_duplicates("at").set_index("at")["step"]
    return {at: at if pd.isna(steps[at]) else step_label(float(steps[at])) for at in both}
