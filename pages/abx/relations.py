"""Meaning against language and against retrieval over the pairs, and over checkpoints (figures 6 and 7)."""

from __future__ import annotations

from functools import partial
from typing import Literal

import streamlit as st

from isogloss.backend.boards.card import Card
from isogloss.backend.boards.cards import BOTH
from isogloss.backend.experiments.abx import correlations as abx_correlations
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx.printed import tables as published
from isogloss.backend.figures import abx_relations as figures
from isogloss.backend.figures.abx_relations import TITLES, Across
from isogloss.pages.abx import cards, printed
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import figure

CARDS: dict[Across, Card] = {"language": BOTH, "retrieval": cards.RETRIEVAL}


def draw(selection: Selection) -> None:
    """Draw both scatters over the pairs of one checkpoint, and the correlation over all checkpoints."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "pair")
        fit = st.toggle("Line of best fit", key="fit", bind="query-params")
        paper = printed.toggle(selection, model)
        axis = segments("Axis", ("Linear", "Log"), "axis")
    layers = list(selection.layers)
    of_pairs = recipes.scores(selection, abx_queries.pairs, of=[(model, checkpoint)], layers=layers)
    colours = selection.colours
    for x, place in zip(CARDS, st.columns(2), strict=True):
        with place:
            figure.draw(
                of_pairs.with_chart(partial(figures.relation, x=x, fit=fit, paper=paper, colours=colours)),
                name=TITLES[x],
                card=CARDS[x],
                alt=TITLES[x],
            )
    seeds.tell_one(model, selection.models)
    scale: Literal["linear", "log"] = "log" if axis == "Log" else "linear"
    drawn = partial(figures.over_checkpoints, scale=scale, paper=paper, colours=colours, **selection.axis)
    figure.draw(
        recipes.scores(selection, abx_correlations.of_files, layers=layers).with_chart(drawn),
        name="Correlation of language and meaning discrimination over checkpoints",
        card=BOTH,
        alt="Correlation of language with meaning discrimination over checkpoints",
    )
    with st.expander("Printed in the paper: XLM-R base, 36 languages of WMT24++", icon=":material/menu_book:"):
        st.dataframe(published.correlations(), hide_index=True)
        st.page_link(
            "pages/relations/page.py",
            label="Regressions, other layers on either axis, and any other measure: Relations",
            icon=":material/scatter_plot:",
        )
