"""Does it matter whether a word pair counts once or wherever it occurs? Both scores of every layer and pair of languages."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.charts.parts.theme import colours_of
from backend.charts.scatter import pairs_scatter
from backend.experiments.alignment import frames as alignment_frames
from backend.experiments.alignment import queries as alignment_queries
from backend.metrics.correlation import spearman
from pages.alignment import frames, missing
from pages.alignment.cards import REPETITION
from pages.alignment.selection import Selection
from pages.widgets import figure, notebook

PRINTED = (
    "Gaschi et al. 2022, section IV: Spearman .86, p < .01",
    "(mBERT, XLM-R, AWESOME; 3 language pairs, all layers)",
)


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
        (each, [(model, computed[-1]) for model in each.models if (computed := frames.complete(each, model))])
        for each in (distinct, repeated)
    ]
    step = partial(alignment_frames.side_by_side, distinct=distinct.variants[0], repeated=repeated.variants[0])
    data = notebook.apply(frames.together(parts, alignment_queries.pairs, [measure]), step)
    if data.empty:
        st.info("The figure is drawn once a checkpoint has both scores.", icon=":material/info:")
        return
    found = spearman(data["x"], data["y"])
    share = frames.SHARES["word"]
    drawn = pairs_scatter(
        data,
        x_title=f"Each pair once ({share}; higher = better aligned)",
        y_title=f"Wherever it occurs ({share}; higher = better aligned)",
        title=frames.MEASURES[measure],
        spearman=found.value,
        unit="point",
        printed=PRINTED,
        colours=colours_of(model.name for model in selection.everything),
    )
    figure.show(
        drawn,
        name=f"{frames.MEASURES[measure]} of distinct and repeated word pairs",
        data=data,
        card=REPETITION,
        snippet=frames.python_together(parts, alignment_queries.pairs, step, measures=[measure]),
        alt="Scores of distinct against repeated word pairs, a point a layer and pair of languages",
    )
    st.caption(
        f"Spearman's ρ {found.value:.3f} (95% {found.low:.3f} to {found.high:.3f}, p {found.p:.2g}) over {found.n:,} points: "
        "every layer and direction of each model's last checkpoint that has both scores, each the mean of its runs. Layers of "
        "one model are not independent: p and interval are too sure of themselves."
    )
