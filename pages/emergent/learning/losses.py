"""The learning curves of one stage of training, a line a seed: of XferBench's models and of the translation check's alike."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.charts.parts.theme import colours_of
from backend.experiments.xferbench import curves as xferbench_curves
from backend.experiments.xferbench.curves import Stage
from backend.figures.emergent import benchmark as figures
from pages.emergent.benchmark.cards import TRAINING
from pages.widgets.figures import cooked, figure
from pages.widgets.words import verbatim
from pages.widgets.workspace import workspaces


def draw(runs: pd.DataFrame, stage: Stage, title: str) -> None:
    """Draw the loss of `runs`, one a seed, over the steps of a stage."""
    kept = xferbench_curves.keys(runs, stage)
    recipe = Recipe((partial(xferbench_curves.curves, kept=kept, workspaces=workspaces()),))
    data = cooked.rows(recipe)
    colours = colours_of([figures.seed_name(seed) for seed in runs["seed"]])  # of all: in both figures the same
    lacking = [str(int(seed)) for seed in runs["seed"] if seed not in set(data["seed"])]
    if data.empty:
        st.info(f"No saved learning curve: {verbatim(title)}. It was removed or damaged.", icon=":material/info:")
        return
    drawn = partial(figures.losses, title=title, colours=colours)
    figure.draw(recipe.with_chart(drawn), name=title, card=TRAINING, alt=f"{title}: loss over steps")
    if lacking:
        st.caption(f"Not drawn, since the curve was removed or damaged: seed {', '.join(lacking)}.")
