"""Which sentences find their translations: every direction of every pair, by mean of tokens and by first token (table I)."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import alignment as figures
from isogloss.backend.models.entry import POOLINGS
from isogloss.pages.alignment import frames
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.choosing import more, opened, seeds
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.figures import colours, cooked, figure


def draw(selection: Selection) -> None:
    """Draw the matrices of both sentence vectors at one layer of a checkpoint."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
        layer = layer_of(model, "at")
        measure = frames.choose_measure()
        options = more.view_options()
    with options:
        rows = opened.choose(selection.languages)
        shared = st.toggle("One colour scale for both", value=True, key="shared_scale", bind="query-params")
        fitted = colours.fitted("from 0 to 1", disabled=not shared)
        groups = seeds.choose(selection.models)
    group = seeds.group_of(model, groups)
    of = group.at(checkpoint, selection.computed)
    spec = selection.spec(model, [checkpoint])
    assert isinstance(spec, SentenceAlignmentSpec)
    vectors = {spec.variant(pooling): POOLINGS[pooling] for pooling in spec.poolings}
    recipe = frames.recipe(
        selection,
        partial(alignment_queries.pairs, layers=[layer]),
        partial(rows_with, layer=[layer]),
        *group.steps([checkpoint], of, bounds_of(selection.metric(measure)), also=["variant"]),
        of=of,
        measures=[measure],
        variants=list(vectors),
    )
    if cooked.rows(recipe).empty:
        frames.say_empty(selection)
        return
    drawn = partial(
        figures.matrix,
        measure=measure,
        languages=list(selection.languages),
        vectors=vectors,
        **rows.options,
        shared=shared,
        fitted=fitted,
        title=f"{group.titled(checkpoint)}, layer {layer}",
    )
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{figures.MEASURES[measure]} of sentences {group.name} {checkpoint.label} layer {layer}",
        card=card(selection),
        alt=f"{figures.MEASURES[measure]} of sentences between every two languages at layer {layer}",
        clicks=opened.clicks_on_pairs(rows, panels=len(vectors)),
    )
    opened.follow(picked, "Matrix", rows.opened)
    seeds.tell([group])
