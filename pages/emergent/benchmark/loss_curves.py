"""How the models behind one cell learned: loss over the steps of pre-training on the source and of tuning on the target."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from backend.charts.parts.theme import colours_of
from backend.experiments.sources.source import NONE
from backend.experiments.xferbench import curves as xferbench_curves
from backend.experiments.xferbench import frames as xferbench_frames
from backend.experiments.xferbench import queries as xferbench_queries
from backend.experiments.xferbench.curves import Stage
from backend.figures.emergent import benchmark as figures
from pages.emergent.benchmark import selection as benchmark
from pages.emergent.benchmark.cards import TRAINING
from pages.emergent.shared.controls import box
from pages.emergent.shared.selection import Selection
from pages.widgets import figure, notebook
from pages.widgets.words import plain
from pages.widgets.workspace import workspaces

VIEW = "Training"
"""What the page calls this view: cells of the heatmap lead to it."""
SOURCE, TARGET = "curve_source", "curve_target"
"""The select boxes' keys; their values are names."""


def draw(selection: Selection) -> None:
    """Draw the loss over the steps of pre-training and of tuning, for the chosen source and target."""
    found = benchmark.choose(selection)
    if found is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source, source_name = _one("Source", found.names, SOURCE)
        text, target_name = _one("Target", found.targets, TARGET)
    seeds = xferbench_queries.each_seed(workspaces(), found.variant)
    seeds = seeds[(seeds["source"] == source) & (xferbench_frames.texts(seeds) == text)]
    if seeds.empty:
        st.info("This source has no score in this target, so nothing was trained. Choose another.", icon=":material/info:")
        return
    came = f"from {source_name}"
    if source == NONE:
        came = "without pre-training"
        st.info("Nothing was pre-trained here: tuning starts from random weights.", icon=":material/info:")
    else:
        _stage(seeds, "pre-training", f"Pre-training on {source_name}")
    _stage(seeds, "tuning", f"Tuning on {target_name}, {came}")


def _one(label: str, names: Mapping[str, str], key: str) -> tuple[str, str]:
    """Return one of `names`, which are unique, and its key."""
    options = list(names.values())
    chosen = box(label, options, key, 330)
    return next((each, name) for each, name in names.items() if name == chosen)


def _stage(seeds: pd.DataFrame, stage: Stage, title: str) -> None:
    kept = xferbench_curves.keys(seeds, stage)
    read = partial(xferbench_curves.curves, kept=kept, workspaces=workspaces())
    data = read()
    colours = colours_of([figures.seed_name(seed) for seed in seeds["seed"]])  # of all: in both figures the same
    lacking = [str(int(seed)) for seed in seeds["seed"] if seed not in set(data["seed"])]
    if data.empty:
        st.info(f"No curve is kept of this: {plain(title)}. It was removed or damaged.", icon=":material/info:")
        return
    figure.show(
        partial(figures.losses, title=title, colours=colours),
        name=title,
        data=data,
        card=TRAINING,
        recipe=notebook.python(read),
        alt=f"{title}: loss over steps",
    )
    if lacking:
        st.caption(f"Not drawn, since the curve was removed or damaged: seed {', '.join(lacking)}.")
