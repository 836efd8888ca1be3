"""Two checkpoints, of one model or of two, on one corpus: language × layer."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.figures import abx_compare as figures
from isogloss.backend.figures.abx_compare import Layout
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.abx.compare import side_by_side
from isogloss.pages.abx.compare.evidence import Evidence
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import more, opened, swap
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked

JOINT = " · "


def draw(selection: Selection, metric: str) -> None:
    """Compare two checkpoints in `metric`, a column a layer, up to the depth of the shallower model."""
    able = {
        f"{model.name}{JOINT}{checkpoint.label}": (model, checkpoint)
        for model in selection.models
        for checkpoint in selection.computed(model)
    }
    if len(able) < 2:
        st.caption("Choose two computed checkpoints or models to compare.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first, second = _choose(able)
        swap.button("first", "second")
        options = more.view_options()
    with options:
        shown = opened.choose(selection.languages)
        fitted = side_by_side.fit(metric)
    if first == second:
        st.caption("These are the same checkpoint. Choose another as B.")
        return
    chosen = [able[first], able[second]]
    if not (layers := side_by_side.shared_layers(selection.layers, [model for model, _ in chosen])):
        return
    only, named = partial(rows_with, metric=[metric], layer=layers), partial(abx_frames.sides_by_checkpoint, joint=JOINT)
    recipe = recipes.scores(selection, abx_queries.by_language_and_layer, only, named, of=chosen)
    rows, groups = figures.order(cooked.rows(recipe), selection.languages, layers, shown.order, shown.pinned)
    layout = Layout(
        row="language",
        column="layer",
        rows=rows,
        columns={layer: str(layer) for layer in layers},
        row_title="Language",
        column_title=LAYER,
        first_row="top",
        groups=groups,
        **shown.options,
    )
    side_by_side.draw(recipe, (first, second), layout, metric, Evidence(selection, chosen), fitted, shown)


def _choose(able: dict[str, tuple[Model, Checkpoint]]) -> tuple[str, str]:
    """Return both sides: at first a model's last checkpoint and its first, so that the difference is what training changed."""
    names = list(able)
    of_first = [name for name in names if able[name][0] == able[names[0]][0]]
    first = select("A", names, "first", width=330, index=names.index(of_first[-1]))
    second = select("B", names, "second", width=330, index=names.index(other_of(able, first)))
    return first, second


def other_of(able: dict[str, tuple[Model, Checkpoint]], first: str) -> str:
    """Return what `first` is compared with unasked: its model's first other checkpoint, else the last of another model."""
    model, checkpoint = able[first]
    same = [name for name, (own, each) in able.items() if own == model and each.fingerprint != checkpoint.fingerprint]
    others = [name for name, (_, each) in able.items() if each.fingerprint != checkpoint.fingerprint]
    return next(iter([*same, *reversed(others)]), first)
