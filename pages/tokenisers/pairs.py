"""What every two languages share of a tokeniser's vocabulary, and what each pays beside each."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.tokenisers import queries
from isogloss.backend.experiments.tokenisers.family import OF_PAIRS
from isogloss.backend.figures import tokenisers as figures
from isogloss.pages.tokenisers import cards
from isogloss.pages.tokenisers.selection import Selection
from isogloss.pages.widgets.choosing import more, opened
from isogloss.pages.widgets.choosing.choices import box, select
from isogloss.pages.widgets.figures import figure

MEASURES = {metric: figures.TITLES[metric] for metric in OF_PAIRS}


def draw(selection: Selection) -> None:
    """Draw the matrix of pairs of one tokeniser."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        models = {model.name: model for model in selection.shown}
        model = models[select("Tokeniser", list(models), "pair_model", width=280)]
        metric = box("Measure", MEASURES, "pair_measure", "tokeniser_shared_vocabulary", width=240)
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
    recipe = selection.recipe(queries.pairs, model, metric=metric)
    drawn = partial(figures.pairs, metric=metric, languages=list(selection.languages), title=model.name, **rows.options)
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{model.name} {MEASURES[metric].lower()} of pairs",
        card=cards.OF[metric],
        alt=f"{MEASURES[metric]} of every pair of languages by the tokeniser of {model.name}",
        clicks=opened.clicks_on_pairs(rows),
    )
    opened.follow(picked, "Pairs", rows.opened)
