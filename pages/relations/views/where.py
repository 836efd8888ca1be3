"""At which layer and checkpoint does the predictor go with the outcome?"""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.relations import correlations
from isogloss.backend.experiments.relations.reading import EACH
from isogloss.backend.figures import relations as figures
from isogloss.pages.relations import cards
from isogloss.pages.relations.selection import Picked, Selection
from isogloss.pages.relations.views.scatter import checkpoint_names, named, nothing, within
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

FOLLOWS = {
    "As chosen": {},
    "At the same checkpoint": {"checkpoint": "each"},
    "At the same layer": {"layer": "each"},
    "At the same layer and checkpoint": {"checkpoint": "each", "layer": "each"},
}


def draw(selection: Selection) -> None:
    """Draw the heatmap, layers up and checkpoints across; a click on a cell shows its scatter."""
    if selection.unit not in ("pair", "language") or selection.x.scored is None:
        what = (
            "a measure of a model as predictor" if selection.x.scored is None else "pairs of languages or languages as points"
        )
        st.info(f"Layers × checkpoints need {what}: choose so in the side bar.", icon=":material/left_panel_open:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        follows = select("Outcome", [name for name, at in FOLLOWS.items() if _has(selection.y, at)], "outcome_at", width=280)
        statistic = select("Correlation", correlations.STATISTICS, "statistic", width=160)
    y = selection.y.read(**FOLLOWS[follows])
    every = selection.x.read(checkpoint=EACH, layer=EACH)  # whichever is chosen for x: the same figure
    question = selection.question(every, y).model_copy(update={"along": None})
    names = list(question.readings)
    asked = {"question": question, "x": names[0], "y": names[1], "statistic": statistic}
    recipe, labels = named(selection, answers.recipe(correlations.everywhere, **asked))
    data = cooked.rows(recipe)
    if not np.isfinite(data["value"]).any():
        nothing(selection)
        return
    title = f"{selection.x.choice.words.title} with {within(selection.y.choice.words.title)}"
    checkpoints = data["checkpoint"].drop_duplicates().tolist()
    called, axis = checkpoint_names(selection, checkpoints)
    drawn = partial(
        figures.where,
        statistic=statistic,
        unit=selection.unit,
        columns=dict(zip(checkpoints, called, strict=True)),
        column_title=axis,
        title=title,
    )
    layers = sorted(set(data["layer"].tolist()))
    custom = [[[labels.get(key, key), str(layer)] for key in checkpoints] for layer in layers]
    st.caption(verbatim(f"x: {selection.x.scored.model} · y: {y.where or y.choice.label}"))
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"Where {names[0]} goes with {names[1]}",
        card=cards.EVERYWHERE,
        alt=f"Correlation of {title} by layer and checkpoint",
        clicks=lambda drawn: clickable(drawn, custom),
    )
    if picked:
        label, layer = picked
        open_cell("Scatter", x_checkpoint=label, x_layer=layer)


def _has(outcome: Picked, at: dict[str, str]) -> bool:
    """Return whether the outcome has several of what it is to follow the predictor along."""
    series = outcome.scored is not None and outcome.scored.series and len(outcome.scored.checkpoints) > 1
    return ("checkpoint" not in at or series) and ("layer" not in at or outcome.has_layers)
