"""The matrix of a measure of every pair of languages, at one layer of one checkpoint."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.geometry import queries
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import geometry as figures
from isogloss.pages.geometry.captions import tell
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import recipes
from isogloss.pages.widgets.choosing import more, opened, seeds
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.figures import colours, figure


def draw(selection: Selection) -> None:
    """Draw the matrix."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure(selection, "pair")
        model, checkpoint = checkpoint_of(selection, "pair")
        layer = layer_of(model, "pair")
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
        fitted = colours.fitted("from 0 to 1")
        groups = seeds.choose(selection.models)
    group = seeds.group_of(model, groups)
    of = group.at(checkpoint, selection.computed)
    means = group.steps([checkpoint], of, bounds_of(metric))
    title = f"{group.titled(checkpoint)}, layer {layer}"
    drawn = partial(
        figures.pairs,
        metric=metric,
        languages=list(selection.languages),
        **rows.options,
        title=title,
        fitted=fitted,
    )
    named = KINDS[metric].measure.title
    picked = figure.draw(
        recipes.scores(selection, queries.of_pairs, *means, of=of, layers=[layer], metric=metric).with_chart(drawn),
        name=f"{named} {group.name} {checkpoint.label} layer {layer} language pairs",
        card=CARDS[metric],
        alt=f"{named} of every pair of languages at layer {layer}",
        clicks=opened.clicks_on_pairs(rows),
    )
    opened.follow(picked, "Pairs", rows.opened)
    seeds.tell([group])
    tell(selection, metric, "Each pair of languages")
