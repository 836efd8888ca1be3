"""A measure of every language, the tokenisers side by side."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.tokenisers import queries
from isogloss.backend.experiments.tokenisers.family import OF_LANGUAGES
from isogloss.backend.figures import tokenisers as figures
from isogloss.pages.tokenisers import cards
from isogloss.pages.tokenisers.selection import Selection
from isogloss.pages.widgets.choosing import more, opened
from isogloss.pages.widgets.choosing.choices import box, select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import figure

MEASURES = {metric: figures.TITLES[metric] for metric in ("tokeniser_premium", *OF_LANGUAGES)}
USUAL_PIVOT = "en"


def draw(selection: Selection) -> None:
    """Draw the heatmap of languages by tokenisers."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = box("Measure", MEASURES, "measure", "tokeniser_premium", width=230)
        premium = metric == "tokeniser_premium"
        tags = list(selection.languages)
        usual = tags.index(USUAL_PIVOT) if USUAL_PIVOT in tags else 0
        pivot = select("Pivot", tags, "pivot", width=210, index=usual, named=language_name) if premium else None
        options = more.view_options()
    with options:
        rows = opened.choose(tags)
    recipe = selection.recipe(queries.by_language, *selection.shown, metric=metric, pivot=pivot)
    models = [model.name for model in selection.shown]
    drawn = partial(figures.by_language, metric=metric, languages=tags, models=models, pivot=pivot, **rows.options)
    title = MEASURES[metric] + (f" to {language_name(pivot)}" if pivot else "")
    shown = [tag for tag in tags if tag != pivot]
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{title} by language and tokeniser",
        card=cards.OF[metric],
        alt=f"{title} of every language by tokeniser",
        clicks=opened.clicks(rows, len(models), languages=shown),
    )
    opened.follow(picked, "Languages", rows.opened)
