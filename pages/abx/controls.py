"""Both controls of ABX beside the scores: the paper's baseline and our shuffles, as lines and in numbers."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.controls import DASH_STYLES
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx.against import AGAINST
from isogloss.backend.experiments.abx.frames import HELD, MEASURED, SHUFFLED
from isogloss.pages.abx import missing
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.workspace import workspaces

STYLES = dict(zip((HELD, SHUFFLED, *AGAINST.values()), DASH_STYLES, strict=True))
"""How the line of each control is drawn, of these and of those that scores are held against."""
VARIABLES = {"abx_language": "language", "abx_meaning": "meaning"}
SHUFFLES = {"abx_language": "languages", "abx_meaning": "sentences"}


def offer(selection: Selection) -> None:
    """Offer what the controls of the computed checkpoints lack."""
    for model in selection.models:
        missing.offer_controls(selection, model)


def recipe(selection: Selection, metric: str, over_layers: bool, each: bool) -> Recipe:
    """Return the recipe of the lines of a score and of its controls (`abx_frames.with_controls`)."""
    sides = {MEASURED: selection, SHUFFLED: missing.shuffled_of(selection)}
    known = {name: recipes.coverage(side) for name, side in sides.items()}
    of = {name: (recipes.shards(side, known[name]), known[name]) for name, side in sides.items()}
    languages, pairs = list(selection.languages), recipes.pairs_chosen(selection)
    return Recipe(
        (
            partial(abx_frames.sides_by_corpus, workspaces=workspaces(), sides=of, languages=languages, **pairs),
            partial(
                abx_frames.with_controls,
                metric=metric,
                layers=list(selection.layers),
                over_layers_too=over_layers,
                each=each,
            ),
        )
    )


def tell(metric: str, data: pd.DataFrame) -> None:
    """Say in numbers what the controls give, and which dash is which."""
    said = {HELD: f"{DASH_STYLES[STYLES[HELD]]}: {VARIABLES[metric]} held constant in A, B and X (the paper's baseline)"}
    said[SHUFFLED] = f"{DASH_STYLES[STYLES[SHUFFLED]]}: {SHUFFLES[metric]} shuffled (ours)"
    sentences = []
    for control, sentence in said.items():
        values = data.loc[data["control"] == control, "value"]
        if len(values):
            sentences.append(f"{sentence}, {values.min():.4f} to {values.max():.4f}.")
        elif control == HELD and metric == "abx_meaning":
            sentences.append(f"{sentence}: it needs three languages.")
        else:
            sentences.append(f"{sentence}: not computed yet.")
    st.caption(" ".join([*sentences, "Both must be 0.5 but for chance."]))
