"""The target error in its three parts, stacked for each target: training, interlingual, intralingual (figure 7)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer.curves import Points
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer import gaps as figures
from isogloss.pages.transfer.shared import directions, frames, guesses, lacking, points, together
from isogloss.pages.transfer.shared.cards import DECOMPOSITION
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure

PANELS = "Sources: one model, a panel for each language trained on. Models: one source, a panel for each model."


def draw(selection: Selection) -> None:
    """Draw a panel a source of one model, or a panel a model of one source."""
    everything = points.points_of_runs(selection) if not selection.runs.empty else []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        panels = segments("Panels", ("Sources", "Models"), "panels", help_=PANELS)
        own = _chosen(selection, everything, by_source=panels != "Models") if everything else []
        at, epsilon = frames.window()
    if not everything:
        frames.say_empty()
        return
    names, sources = sorted({each.names for each in own}), sorted({each.source for each in own})
    recipe = points.recipe(
        selection,
        partial(transfer_frames.points_with, names=names, sources=sources),
        partial(transfer_curves.decompose, by=BY, at=at, epsilon=epsilon),
    )
    data = cooked.rows(recipe)
    _say_missing(data, own)
    if panels != "Models":
        together.tell_one(selection, names[0])
    lacking.offer(selection, at, epsilon)
    whole = data["intra"].notna().any()
    if not whole and len(data):
        st.caption("These runs have no validation examples: the intralingual gap, and with it the target error, is not known.")
    drawn = partial(
        figures.parts,
        differing=selection.differing(data),
        by_source=panels != "Models",
        bars=sorted({target for each in own for target in each.targets}),
        runs=_runs(selection, data),
        levels=_levels(selection, whole=bool(whole)),
        nothing="No direction has an IGap in this window: see above.",
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=f"Parts of the target error, {'sources' if panels != 'Models' else 'models'}",
        card=DECOMPOSITION,
        alt="Training error, interlingual and intralingual gap, stacked for each target",
    )


def _levels(selection: Selection, *, whole: bool) -> dict[str, float]:
    """Return the errors of guesses on the validation examples, or, without these, on translations."""
    guess = guesses.guess_for(selection)
    if guess is None:
        return {}
    return guess.target_errors() if whole else guess.errors()


def _chosen(selection: Selection, everything: Sequence[Points], *, by_source: bool) -> list[Points]:
    """Return the record points of one model, or of one source."""
    if by_source:
        _, model = directions.model_of(selection)
        return [each for each in everything if each.names == model]
    sources = sorted({each.source for each in everything})
    source = select("Trained on", sources, "pair_source", named=language_name, width=220)
    return [each for each in everything if each.source == source]


def _runs(selection: Selection, data: pd.DataFrame) -> dict[str, tuple[float, int]]:
    """Return the learning rate and the seed of the runs behind the bars."""
    runs = selection.runs[selection.runs["run"].isin(data["run"])]
    return {run: (rate, seed) for run, rate, seed in runs[["run", "learning_rate", "seed"]].to_dict("split")["data"]}


def _say_missing(data: pd.DataFrame, own: Sequence[Points]) -> None:
    whole = sum(len(each.targets) for each in own)
    if 0 < len(data) < whole:
        st.caption(
            f"{whole - len(data)} of {count(whole, 'bar')} left out: no model in the window, or not all of those in it were "
            "evaluated in the target."
        )
