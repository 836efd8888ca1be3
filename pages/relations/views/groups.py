"""A measure of languages by family, genus, script, region or resource level, and whether these differ."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.language_groups import GROUPED_BY, By, with_groups
from isogloss.backend.experiments.relations import partners, tables
from isogloss.backend.experiments.relations.reading import EACH, Question
from isogloss.backend.figures import relations as figures
from isogloss.pages.relations import cards
from isogloss.pages.relations.selection import Picked, Selection
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure


def draw(selection: Selection) -> None:
    """Draw the outcome and the predictor, a row a group, read at languages whatever the unit is."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = select("Group by", GROUPED_BY, "group_by", width=200)
    for picked, question in read_at_languages(selection):
        _draw(picked, question, by)


def read_at_languages(selection: Selection) -> list[tuple[Picked, Question]]:
    """Return the outcome and the predictor that have values of languages, read there whatever the unit is.

    Where there are none it says so.
    """
    able = [each for each in (selection.y, selection.x) if each.choice.at("language")]
    if not able:
        st.info("Neither measure has values of languages: choose another in the side bar.", icon=":material/left_panel_open:")
    means = [
        each.read(**{name: "mean" for name in ("checkpoint", "layer") if getattr(each.reading, name) == EACH}) for each in able
    ]
    at = {"unit": "language", "along": None}
    return [(each, selection.question(each).model_copy(update=at)) for each in means]


def _draw(picked: Picked, question: Question, by: By) -> None:
    (measure,) = question.readings
    recipe = answers.recipe(tables.table, partial(with_groups, by=by), question=question)
    if cooked.rows(recipe).empty:
        st.info(f"{picked.choice.words.title} has no value of a language.", icon=":material/join_inner:")
        return
    title = f"{picked.choice.words.title} by {by}" + (f": {picked.where}" if picked.where else "")
    over_pairs = answers.asked(partners.are_partners, question=question)
    drawn = partial(figures.by_group, measure=measure, by=by, value_title=picked.axis, title=title, over_pairs=over_pairs)
    figure.draw(recipe.with_chart(drawn), name=title, card=cards.GROUPS, alt=title)
