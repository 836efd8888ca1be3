"""How the models of XferBench and of the translation check learned: loss over the steps of pre-training and of tuning."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.theme import colours_of
from isogloss.backend.experiments.sources.source import NONE
from isogloss.backend.experiments.xferbench import curves as xferbench_curves
from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench.curves import Stage
from isogloss.backend.figures.emergent import benchmark as figures
from isogloss.pages.emergent.benchmark import selection as benchmark
from isogloss.pages.emergent.benchmark.cards import TRAINING
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.emergent.translation import correlating
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

XFERBENCH, TRANSLATION = "XferBench", "Translation models"
"""What the page calls these views: cells of the heatmap and translations lead to them."""
SOURCE, TARGET = "curve_source", "curve_target"
"""The select boxes' keys; their values are names."""


def draw_xferbench(selection: Selection) -> None:
    """Draw the loss over the steps of pre-training on the chosen source and of tuning on the chosen target."""
    found, _ = benchmark.choose(selection, trains=False)
    if found is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source_name = select("Source", list(found.names.values()), SOURCE, width=330)
        target_name = select("Target", list(found.targets.values()), TARGET, width=330)
    (source,) = (key for key, name in found.names.items() if name == source_name)  # names are unique
    (text,) = (key for key, name in found.targets.items() if name == target_name)
    seeds = answers.asked(xferbench_queries.each_seed, variant=found.variant)
    seeds = seeds[(seeds["source"] == source) & (xferbench_frames.texts(seeds) == text)]
    if seeds.empty:
        st.info("This source has no score in this target, so nothing was trained. Choose another.", icon=":material/info:")
        return
    if source == NONE:
        st.info("Nothing was pre-trained here: tuning starts from random weights.", icon=":material/info:")
    else:
        _losses(seeds, "pre-training", f"Pre-training on {source_name}")
    came = "without pre-training" if source == NONE else f"from {source_name}"
    _losses(seeds, "tuning", f"Tuning on {target_name}, {came}")


def draw_translation(selection: Selection) -> None:
    """Draw the loss over the steps of pre-training a BART and of tuning it to translate, for the chosen source and setting."""
    found = correlating.choose(selection)
    if found is None:
        st.info("No translation model is trained yet. Train some in the view “Translation”.", icon=":material/info:")
        return
    trained = correlating.choose_trained(found)
    if xferbench_curves.keys(trained.runs, "pre-training"):  # else nothing was pre-trained
        _losses(trained.runs, "pre-training", f"Pre-training a BART on {trained.source}")
    _losses(trained.runs, "tuning", f"Tuning to translate, from {trained.source}, {trained.setting}")


def _losses(runs: pd.DataFrame, stage: Stage, title: str) -> None:
    """Draw the loss of `runs`, one a seed, over the steps of a stage."""
    kept = xferbench_curves.keys(runs, stage)
    recipe = Recipe((partial(xferbench_curves.curves, kept=kept, workspaces=workspaces()),))
    data = cooked.rows(recipe)
    if data.empty:
        st.info(f"No saved learning curve: {verbatim(title)}. It was removed or damaged.", icon=":material/info:")
        return
    colours = colours_of([figures.seed_name(seed) for seed in runs["seed"]])  # of all: in both figures the same
    drawn = partial(figures.losses, title=title, colours=colours)
    figure.draw(recipe.with_chart(drawn), name=title, card=TRAINING, alt=f"{title}: loss over steps")
    if lacking := [str(int(seed)) for seed in runs["seed"] if seed not in set(data["seed"])]:
        st.caption(f"Not drawn, since the curve was removed or damaged: seed {', '.join(lacking)}.")
