"""How the models behind one cell learned: loss over the steps of pre-training on the source and of tuning on the target."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from backend.experiments.sources.source import NONE
from backend.experiments.xferbench import frames as xferbench_frames
from backend.experiments.xferbench import queries as xferbench_queries
from pages.emergent.benchmark import selection as benchmark
from pages.emergent.learning import losses
from pages.emergent.shared.controls import box
from pages.emergent.shared.selection import Selection
from pages.widgets.workspace import workspaces

VIEW = "XferBench"
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
        losses.draw(seeds, "pre-training", f"Pre-training on {source_name}")
    losses.draw(seeds, "tuning", f"Tuning on {target_name}, {came}")


def _one(label: str, names: Mapping[str, str], key: str) -> tuple[str, str]:
    """Return one of `names`, which are unique, and its key."""
    options = list(names.values())
    chosen = box(label, options, key, 330)
    return next((each, name) for each, name in names.items() if name == chosen)
