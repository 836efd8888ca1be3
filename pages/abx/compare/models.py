"""Two models on one corpus: layer × training step, at the steps that both have."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.grid import pivot
from backend.charts.parts.text import step_label
from pages.abx import frames
from pages.abx.compare import side_by_side
from pages.abx.compare.side_by_side import SIDE, Sides
from pages.abx.selection import Selection
from pages.abx.snippets import only, snippet

AT = "frame = frame.assign(at=frame['step'].astype('Int64').astype('string').fillna(frame['label']), side=frame['model'])\n"
"""`keyed` as a snippet has it."""


def draw(selection: Selection, metric: str) -> None:
    if len(selection.models) < 2:
        st.caption("Choose a second model in the side bar.")
        return
    first, second = selection.models[:2]
    if len(selection.models) > 2:
        st.caption(f"The first two of the {len(selection.models)} models chosen.")
    layers = [layer for layer in selection.layers if layer <= min(first.layers, second.layers)]
    data = frames.grid(selection)
    data = keyed(data[(data["metric"] == metric) & data["layer"].isin(layers) & data["model"].isin([first.name, second.name])])
    shared = common(data)
    if not shared:
        st.caption("The two models have no computed training step (or checkpoint name) in common. Compare checkpoints instead.")
        return
    data = data[data["at"].isin(shared)].reset_index(drop=True)
    grids = [
        pivot(
            data[data["model"] == model.name],
            row="layer",
            column="at",
            rows=layers,
            columns=list(shared),
            row_labels=layers,
            column_labels=list(shared.values()),
            title=model.name,
        )
        for model in (first, second)
    ]
    sides = Sides(
        names=(first.name, second.name),
        grids=(grids[0], grids[1]),
        data=data,
        keys=("at", "layer"),
        row_title="Layer (0 = input embedding)",
        column_title="Training step" if data["step"].notna().all() else "Training step or checkpoint",
    )
    of = [(model, each) for model in (first, second) for each in selection.computed(model)]
    kept = f"frame = frame[frame['at'].isin({list(shared)!r})].reset_index(drop=True)\n"
    side_by_side.draw(sides, metric, snippet(selection, "grid", of=of, then=only(metric, layers) + AT + kept))


def keyed(data: pd.DataFrame) -> pd.DataFrame:
    """`data` with a column `at`: the training step, or the label where there is none; and the model as its `side`."""
    at = data["step"].astype("Int64").astype("string").fillna(data["label"])
    return data.assign(at=at, **{SIDE: data["model"]})


def common(data: pd.DataFrame) -> dict[str, str]:
    """The places (`at`) that both models have one checkpoint at, in order, and what each is called on an axis."""
    one = data.drop_duplicates(["model", "checkpoint", "label", "at"])
    counts = one.groupby(["at", "model"], sort=False).size().unstack()
    both = counts.index[counts.eq(1).all(axis=1) & (counts.notna().sum(axis=1) == data["model"].nunique())]
    if data["model"].nunique() < 2:
        return {}
    steps = one.drop_duplicates("at").set_index("at")["step"]
    return {at: at if pd.isna(steps[at]) else step_label(float(steps[at])) for at in both}
