"""Both controls of ABX beside the scores: the paper's baseline and our shuffles, as lines and in numbers."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.charts.controls import DASH_STYLES
from backend.experiments.abx import frames as abx_frames
from backend.experiments.abx.frames import HELD, MEASURED, SHUFFLED, SIDE
from pages.abx import missing
from pages.shared.abx import frames
from pages.shared.abx.selection import Selection
from pages.widgets.figures import notebook
from pages.widgets.workspace import workspaces

STYLES = dict(zip((HELD, SHUFFLED), DASH_STYLES, strict=True))
VARIABLES = {"abx_language": "language", "abx_meaning": "meaning"}
SHUFFLES = {"abx_language": "languages", "abx_meaning": "sentences"}


def offer(selection: Selection) -> None:
    """Offer what the controls of the computed checkpoints lack."""
    for model in selection.models:
        missing.offer_controls(selection, model)


def rows(selection: Selection, metric: str, over_layers: bool, each: bool) -> tuple[pd.DataFrame, Recipe]:
    """Return the lines of a score and of its controls (`abx_frames.with_controls`), and the Python that gives them again."""
    sides = {MEASURED: selection, SHUFFLED: missing.shuffled_of(selection)}
    data = pd.concat([frames.grid(side).assign(**{SIDE: name}) for name, side in sides.items()], ignore_index=True)
    lines = partial(
        abx_frames.with_controls, metric=metric, layers=list(selection.layers), over_layers_too=over_layers, each=each
    )
    known = {name: frames.coverage(side) for name, side in sides.items()}
    of = {name: (frames.shards(side, known[name]), known[name]) for name, side in sides.items()}
    languages, pairs = list(selection.languages), frames.pairs_chosen(selection)
    read = partial(abx_frames.sides_by_corpus, workspaces=workspaces(), sides=of, languages=languages, **pairs)
    return lines(data), notebook.python(read, lines)


def tell(metric: str, data: pd.DataFrame) -> None:
    """Say in numbers what the controls give, and which dash is which."""
    said = {HELD: f"Dashed: {VARIABLES[metric]} held constant in A, B and X (the paper's baseline)"}
    said[SHUFFLED] = f"Dash-dotted: {SHUFFLES[metric]} shuffled (ours)"
    found = []
    for control, sentence in said.items():
        values = data.loc[data["control"] == control, "value"]
        if len(values):
            found.append(f"{sentence}, {values.min():.4f} to {values.max():.4f}.")
        elif control == HELD and metric == "abx_meaning":
            found.append(f"{sentence}: not computed (it needs three languages).")
        else:
            found.append(f"{sentence}: not computed.")
    st.caption(" ".join([*found, "Both must be 0.5 but for chance."]))
