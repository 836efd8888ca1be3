"""How much sampled scores hang on the draw of triplets: their standard deviation over subsamples (appendix B)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx.printed import tables as published
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.figures import abx as figures
from isogloss.pages.abx import cards
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

UNIT = "Standard deviation over subsamples (share of triplets; higher = the draw matters more)"


def draw(selection: Selection) -> None:
    """Draw the spread of both scores over the layers of each model's last checkpoint, and say it as one number."""
    st.header(f"Spread over {selection.options['subsamples']} subsamples", anchor="spread")
    among, line = partial(rows_with, layer=list(selection.layers)), partial(abx_frames.over_layers, each=False)
    recipe = recipes.scores(selection, abx_queries.spread, among, line)
    last = cooked.rows(recipe)
    if last.empty:
        return
    printed = published.printed_spread()
    _tell(last, printed)
    for place, (metric, name) in zip(st.columns(2), figures.METRICS.items(), strict=True):
        drawn = partial(
            figures.spread,
            metric=metric,
            colours=selection.colours,
            unit=UNIT,
            printed=printed.value,
            printed_label=f"{printed.source}, average below",
        )
        with place:
            figure.draw(
                recipe.then(partial(rows_with, metric=[f"{metric}_sd"])).with_chart(drawn),
                name=f"Spread of {name.lower()} over subsamples",
                card=cards.SPREAD,
                alt=f"Standard deviation of {name.lower()} over subsamples, by layer",
            )


def _tell(last: pd.DataFrame, printed: published.Printed) -> None:
    """One sentence a model: the average standard deviation at its last checkpoint, over pairs and layers, and the greatest."""
    for model, of_model in last.groupby("model", sort=False):
        deviations = []
        for metric, name in figures.METRICS.items():
            one = of_model[of_model["metric"] == f"{metric}_sd"]
            deviations.append(f"{name.lower()} **{one['value'].mean():.5f}** on average, {one['high'].max():.5f} at most")
        label = of_model["label"].iloc[0]
        st.markdown(f"{verbatim(str(model))}, {verbatim(str(label))}: {'; '.join(deviations)}.")
    st.caption(f"Over pairs and chosen layers, last chosen checkpoint. {printed.source}: below {printed.value} on average.")
