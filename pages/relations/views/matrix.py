"""Everything computed at the unit against everything else."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.experiments.relations import correlations
from backend.experiments.relations.reading import Question
from backend.figures import relations as figures
from pages.relations import cards
from pages.relations.beside import labelled
from pages.relations.selection import Selection
from pages.shared import answers
from pages.widgets.choosing.choices import select
from pages.widgets.figures import cooked, figure
from pages.widgets.words import verbatim

LEAST = 2
"""Fewer measures make no matrix."""


def draw(selection: Selection) -> None:
    """Draw the matrix of correlations, its measures in the order of their clusters."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        statistic = select("Correlation", correlations.STATISTICS, "statistic", width=160)
        given = st.toggle("With typology and covariates", value=False, key="given", bind="query-params")
    choices = [each for each in selection.choices if given or not each.given]
    named = [each for choice in choices for each in labelled(selection, choice)]
    picked = [each for _, each in named]
    names = selection.names(*picked)
    labels = dict(zip(names, (label for label, _ in named), strict=True))
    question = Question(
        unit=selection.unit, along=selection.along, readings=dict(zip(names, (each.reading for each in picked), strict=True))
    )
    recipe = answers.recipe(correlations.all_against_all, partial(correlations.known), question=question, statistic=statistic)
    shown = set(cooked.rows(recipe)["x"])
    if len(shown) < LEAST:
        st.info(
            "No two measures have enough points in common here: choose another unit or model.", icon=":material/join_inner:"
        )
        return
    if selection.x.scored and selection.unit != "model":
        st.caption(verbatim(f"All read as the predictor is: {selection.x.where}."))
    figure.draw(
        recipe.with_chart(partial(figures.matrix, statistic=statistic, unit=selection.unit, labels=labels)),
        name="All measures against all",
        card=cards.MATRIX,
        alt="Correlations of all measures with each other",
    )
    if left := [labels[name] for name in names if name not in shown]:
        st.caption(verbatim(f"Without enough points in common with another: {', '.join(left)}."))
