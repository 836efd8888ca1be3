"""Languages on a map: how a tokeniser cuts each, what it pays beside another, and what it shares with others."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments.tokenisers import queries
from isogloss.backend.experiments.tokenisers.family import OF_LANGUAGES
from isogloss.backend.figures import tokenisers as figures
from isogloss.pages.shared import on_a_map
from isogloss.pages.shared.on_a_map import Measured, Of
from isogloss.pages.tokenisers import cards
from isogloss.pages.tokenisers.selection import Selection
from isogloss.pages.widgets.choosing.choices import box, select

PREMIUM = "tokeniser_premium"


def draw(selection: Selection) -> None:
    """Draw the map of one tokeniser."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = box("Measure", figures.TITLES, "map_measure", PREMIUM, width=230)
        models = {model.name: model for model in selection.shown}
        model = models[select("Tokeniser", list(models), "pair_model", width=280)]
        of: Of = "directed" if metric == PREMIUM else "languages" if metric in OF_LANGUAGES else "pairs"
        wanted = on_a_map.choose((), selection.languages, of)
    on_a_map.draw(
        selection.recipe(queries.pairs, model, metric=metric),
        wanted,
        Measured(figures.UNITS[metric], cards.OF[metric], form=figures.FORMS[metric]),
        languages=selection.languages,
        title=f"{model.name}: {figures.TITLES[metric].lower()}",
        name=f"{figures.TITLES[metric]} on a map, {model.name}",
    )
