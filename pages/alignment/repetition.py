"""Does it matter whether a word pair counts once or wherever it occurs? Both scores of every layer and pair of languages."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.figures import alignment as figures
from isogloss.pages.alignment import frames, missing
from isogloss.pages.alignment.cards import REPETITION
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.figures import cooked, figure


def draw(selection: Selection) -> None:
    """Draw a point for each model, layer and directed pair of languages; offer what either score lacks."""
    measure = frames.choose_measure()
    unique = "both" if selection.options["unique"] == "once" else selection.options["unique"]
    distinct, repeated = (selection.with_options(repeated=each, unique=unique) for each in (False, True))
    if unique != selection.options["unique"]:
        st.caption("Each word once is never repeated: here words count that have one candidate both ways.")
    for each in (distinct, repeated):
        if each.options != selection.options:  # what is chosen is offered above
            for model in each.models:
                missing.offer(each, model)
    parts: list[frames.Part] = [
        (each, [(model, computed[-1]) for model in each.models if (computed := each.complete(model))])
        for each in (distinct, repeated)
    ]
    step = partial(alignment_frames.side_by_side, distinct=distinct.variants, repeated=repeated.variants)
    recipe = frames.recipe_of_choices(parts, alignment_queries.pairs, step, measures=[measure])
    data = cooked.rows(recipe)
    if data.empty:
        st.info("The figure is drawn once a checkpoint has both scores.", icon=":material/info:")
        return
    drawn = partial(figures.repetition, measure=measure, colours=selection.colours)
    figure.draw(
        recipe.with_chart(drawn),
        name=f"{figures.MEASURES[measure]} of distinct and repeated word pairs",
        card=REPETITION,
        alt="Scores of distinct against repeated word pairs, a point a layer and pair of languages",
    )
    found = alignment_frames.rank_correlation(data)
    st.caption(
        f"Spearman's ρ {found.value:.3f} (95% {found.low:.3f} to {found.high:.3f}, p {found.p:.2g}) over {found.n:,} points: "
        "every layer and direction of each model's last checkpoint that has both scores, each the mean of its runs. Layers of "
        "one model are not independent: p and interval are too sure of themselves."
    )
