"""What the models of one source and setting wrote, and how each beam scored."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.translation import frames as translation_frames
from isogloss.pages.emergent.translation.cards import EXAMPLES
from isogloss.pages.emergent.translation.correlating import Translations, choose_trained
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

COLUMNS = {
    "source": "Sentence",
    "reference": "Translation in the corpus",
    "hypothesis": "What the model wrote (narrowest beam)",
}
COLUMN, ROW = 265, 112
"""Pixels: the three stand side by side on a 1280-pixel screen, a row has five lines of text."""


def draw(found: Translations, learning: str) -> None:
    """One source in one setting, chosen by the reader; `learning` is the view of their learning curves."""
    st.header("Translations", anchor=False)
    trained = choose_trained(found)
    _written(trained.runs, f"{trained.source}, {trained.setting}")
    if st.button("Learning curves", key="mt-curves", type="tertiary", icon=":material/show_chart:"):
        open_cell(learning)


def _written(examples: pd.DataFrame, what: str) -> None:
    """Draw the translations of the first seed."""
    recipe = Recipe((partial(translation_frames.examples, run=str(examples["run"].iloc[0]), workspaces=workspaces()),))
    data = cooked.rows(recipe)
    if data.empty:
        st.info("No translation of these models is left: it was removed or damaged.", icon=":material/info:")
        return
    wide = {name: st.column_config.TextColumn(title, width=COLUMN) for name, title in COLUMNS.items()}
    st.dataframe(data, hide_index=True, key="mt-examples", alt=f"Translations of {what}", column_config=wide, row_height=ROW)
    beams = translation_frames.beams(examples, workspaces())
    each = beams.groupby("beam")[["chrf", "bleu"]].mean()
    said = ", ".join(f"{row.chrf:.1f} and {row.bleu:.2f} with {beam}" for beam, row in each.iterrows())
    st.caption(
        verbatim(
            f"chrF and BLEU by width of the beam search: {said}. Training seed {int(examples['seed'].iloc[0])} wrote this."
        )
    )
    figure.beside(name=f"Translations of {what}", card=EXAMPLES, recipe=recipe)
